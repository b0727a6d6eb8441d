import { type ComponentProps, useRef } from "react"
import { Button } from "./button.tsx"

interface Props extends Omit<ComponentProps<typeof Button>, "onClick"> {
  /** The name of the field that takes the file. */
  field: string
  /** The types and endings that are offered, if not all. */
  accept?: string
  onChoose(file: File): void
}

/** A button that lets one file be chosen. */
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
          // Lets the same one be chosen again.
          target.value = ""
        }}
      />
    </>
  )
}
