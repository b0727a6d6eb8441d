import { type ComponentProps, useId } from "react"
import { isSubmitKey, isTouchScreen } from "../../ui/submit-key.ts"
import { useBrowser } from "./studio.ts"

interface Props extends Omit<ComponentProps<"textarea">, "onChange" | "onSubmit"> {
  /** Label for screen readers. */
  label: string
  onChange(text: string): void
  /** Called on the key that the user chose for submitting, unless `onKeyDown` has handled it. */
  onSubmit(): void
}

/** Text field for a message or prompt. */
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
