import { clsx } from "clsx"
import { type TextareaHTMLAttributes, useId } from "react"
import { fieldClass } from "./field.tsx"

interface Props extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  label: string
  hint?: string
  error?: string | null | undefined
}

/** A field for several lines, with a label above it and its error below. */
export function TextArea({ label, hint, error, className, ...rest }: Props) {
  const id = useId()
  const note = error ?? hint
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-semibold">
        {label}
      </label>
      <textarea
        id={id}
        aria-describedby={note ? `${id}-note` : undefined}
        aria-invalid={error ? true : undefined}
        className={clsx(fieldClass, "block py-1.5", className)}
        {...rest}
      />
      {note && (
        <p
          id={`${id}-note`}
          role={error ? "alert" : undefined}
          className={clsx("mt-1 text-sm", error ? "text-err" : "text-ink-3")}
        >
          {note}
        </p>
      )}
    </div>
  )
}
