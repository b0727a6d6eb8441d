import { type ReactNode, useId } from "react"
import { fieldClass } from "../../../ui/field.tsx"

interface Props {
  label: string
  options: { value: string; text: string }[]
  value: string
  onChange(value: string): void
  hint?: ReactNode
  disabled?: boolean
}

/** A labelled select. */
export function SelectField({ label, options, value, onChange, hint, disabled }: Props) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-semibold">
        {label}
      </label>
      <select
        id={id}
        value={value}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.value)}
        className={`${fieldClass} h-9 max-md:h-11`}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-sm text-ink-3">
          {hint}
        </p>
      )}
    </div>
  )
}
