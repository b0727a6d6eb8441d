import { type ComponentProps, useId } from "react"
import { isForInputMethod, isSubmitKey, isTouchScreen } from "../../ui/submit-key.ts"
import { useBrowser } from "./studio.ts"

interface Props extends Omit<ComponentProps<"textarea">, "onChange" | "onSubmit"> {
  /** Label for screen readers. */
  label: string
  onChange(text: string): void
  /** Called for keys that no input method handles. */
  onKeyDown?: ComponentProps<"textarea">["onKeyDown"]
  /** Called on Enter or another key that submits, unless `onKeyDown` has handled it. */
  onSubmit(): void
}

/** Text field for a message or prompt. */
export function MessageField({ label, onChange, onSubmit, onKeyDown, ...field }: Props) {
  const id = useId()
  const enterSends = useBrowser((state) => state.preferences.enter_sends)
  const touch = isTouchScreen()
  return (
    <>
      <label htmlFor={id} className="unseen">
        {label}
      </label>
      <textarea
        id={id}
        aria-description={
          enterSends && !touch ? "Press Enter to send, Shift+Enter for a new line." : "Press Ctrl+Enter to send."
        }
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={(event) => {
          if (!isForInputMethod(event.nativeEvent)) onKeyDown?.(event)
          if (event.defaultPrevented || !isSubmitKey(event.nativeEvent, { enterSends, touch })) return
          event.preventDefault()
          onSubmit()
        }}
        {...field}
      />
    </>
  )
}
