import { type ReactNode, useId } from "react"
import { fieldClass } from "./field.tsx"

interface Props {
  label: string
  value: string
  onChange(value: string): void
  /** The `option` elements. */
  children: ReactNode
  hint?: ReactNode
  wrong?: boolean
  disabled?: boolean
  className?: string
}

/** A labelled select. */
export function SelectField({ label, value, onChange, children, hint, wrong, disabled, className }: Props) {
  const id = useId()
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-sm font-semibold">
        {label}
      </label>
      <select
        id={id}
        value={value}
        disabled={disabled}
        aria-invalid={wrong ? true : undefined}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.value)}
        className={`${fieldClass} h-9 pr-1 pl-2 max-md:h-11`}
      >
        {children}
      </select>
      {hint && (
        <div id={`${id}-hint`} className="mt-1 text-sm text-ink-3">
          {hint}
        </div>
      )}
    </div>
  )
}
