import type { ComponentProps } from "react"
import { SelectField } from "./select-field.tsx"

interface Props<T extends string> extends Omit<ComponentProps<typeof SelectField>, "value" | "onChange" | "children"> {
  /** The labels of the values, in order. */
  of: Readonly<Record<T, string>>
  value: T
  onChange(value: NoInfer<T>): void
}

/** A labelled select of a few fixed values. */
export function ChoiceField<T extends string>({ of, value, onChange, ...field }: Props<T>) {
  return (
    <SelectField {...field} value={value} onChange={(chosen) => onChange(chosen as T)}>
      {Object.entries<string>(of).map(([option, label]) => (
        <option key={option} value={option}>
          {label}
        </option>
      ))}
    </SelectField>
  )
}
