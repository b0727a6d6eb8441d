import type { ReactNode } from "react"
import { fieldClass, Labelled, type LabelProps } from "./field.tsx"

/** A value, with its label if that differs. */
export type Option = string | readonly [value: string, text: string]

interface Props extends LabelProps {
  value: string
  onChange(value: string): void
  options?: readonly Option[]
  /** Groups of options, after the others. */
  children?: ReactNode
  wrong?: boolean
  disabled?: boolean
  className?: string | undefined
}

export function SelectField({ value, onChange, options = [], children, wrong, disabled, ...labelled }: Props) {
  return (
    <Labelled {...labelled}>
      {(control) => (
        <select
          {...control}
          {...(wrong && { "aria-invalid": true })}
          value={value}
          disabled={disabled}
          onChange={({ target }) => onChange(target.value)}
          className={`${fieldClass} h-9 pr-1 pl-2 max-md:h-11`}
        >
          <Options of={options} />
          {children}
        </select>
      )}
    </Labelled>
  )
}

/** Returns numbers to choose from, including the chosen one. */
export function numbersWith(numbers: readonly number[], chosen: number): string[] {
  return [...new Set([...numbers, chosen])].sort((a, b) => a - b).map(String)
}

export function Options({ of }: { of: readonly Option[] }) {
  return of.map((option) => {
    const [value, text] = typeof option === "string" ? [option, option] : option
    return (
      <option key={value} value={value}>
        {text}
      </option>
    )
  })
}
