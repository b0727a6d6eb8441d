import type { ComponentProps } from "react"
import { SelectField } from "./select-field.tsx"

interface Props<T extends string>
  extends Omit<ComponentProps<typeof SelectField>, "value" | "onChange" | "options" | "children"> {
  /** Labels of the values, in order. */
  of: Readonly<Record<T, string>>
  value: T
  onChange(value: NoInfer<T>): void
}

/** Labelled select for a few fixed values. */
export function ChoiceField<T extends string>({ of, onChange, ...field }: Props<T>) {
  return <SelectField {...field} options={Object.entries<string>(of)} onChange={(chosen) => onChange(chosen as T)} />
}
