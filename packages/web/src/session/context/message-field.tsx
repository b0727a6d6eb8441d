import { type ComponentProps, useId } from "react"
import { isSubmitKey, isTouchScreen } from "../../ui/submit-key.ts"
import { useBrowser } from "./studio.ts"

interface Props extends Omit<ComponentProps<"textarea">, "onChange" | "onSubmit"> {
  /** The label, for screen readers. */
  label: string
  onChange(text: string): void
  /** Called by the key that the user chose for it. A key that `onKeyDown` handles is no such key. */
  onSubmit(): void
}

/** A field for a message or a prompt. */
export function MessageField({ label, onChange, onSubmit, onKeyDown, ...field }: Props) {
  const id = useId()
  const enterSends = useBrowser((state) => state.preferences.enter_sends)
  return (
    <>
      <label htmlFor={id} className="unseen">
        {label}
      </label>
      <textarea
        id={id}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={(event) => {
          onKeyDown?.(event)
          if (event.defaultPrevented || !isSubmitKey(event.nativeEvent, { enterSends, touch: isTouchScreen() })) return
          event.preventDefault()
          onSubmit()
        }}
        {...field}
      />
    </>
  )
}
