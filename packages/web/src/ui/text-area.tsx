import { clsx } from "clsx"
import type { TextareaHTMLAttributes } from "react"
import { fieldClass, Labelled, type LabelProps } from "./field.tsx"

interface Props extends LabelProps, Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "onChange"> {
  onChange(text: string): void
}

/** Text field with several lines. `className` applies to the text. */
export function TextArea({ label, hint, error, className, onChange, ...rest }: Props) {
  return (
    <Labelled label={label} hint={hint} error={error}>
      {(control) => (
        <textarea
          {...control}
          onChange={({ target }) => onChange(target.value)}
          className={clsx(fieldClass, "block py-1.5", className)}
          {...rest}
        />
      )}
    </Labelled>
  )
}
