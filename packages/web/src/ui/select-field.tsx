import { clsx } from "clsx"
import { type ReactNode, useId } from "react"
import { fieldClass } from "./field.tsx"

interface Props {
  label: string
  value: string
  onChange(value: string): void
  /** The `option` elements. */
  children: ReactNode
  hint?: ReactNode
  /** Shown in place of the hint. */
  error?: string | null | undefined
  wrong?: boolean
  disabled?: boolean
  className?: string
}

/** A labelled select. */
export function SelectField({ label, value, onChange, children, hint, error, wrong, disabled, className }: Props) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-sm font-semibold">
        {label}
      </label>
      <select
        id={id}
        value={value}
        disabled={disabled}
        aria-invalid={wrong || error ? true : undefined}
        aria-describedby={note ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.value)}
        className={`${fieldClass} h-9 pr-1 pl-2 max-md:h-11`}
      >
        {children}
      </select>
      {note && (
        <div
          id={`${id}-hint`}
          role={error ? "alert" : undefined}
          className={clsx("mt-1 text-sm", error ? "text-err" : "text-ink-3")}
        >
          {note}
        </div>
      )}
    </div>
  )
}
