import { type ComponentProps, useRef } from "react"
import { Button } from "./button.tsx"

interface Props extends Omit<ComponentProps<typeof Button>, "onClick"> {
  /** Name of the file field. */
  field: string
  /** File types and extensions to offer; all if omitted. */
  accept?: string
  onChoose(file: File): void
}

/** Button for choosing one file. */
export function FileButton({ field, accept, onChoose, ...button }: Props) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button {...button} onClick={() => input.current?.click()} />
      <input
        ref={input}
        hidden
        type="file"
        accept={accept}
        aria-label={field}
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file) onChoose(file)
          // Allows the same file to be chosen again.
          target.value = ""
        }}
      />
    </>
  )
}
