import { type ReactNode, useState } from "react"
import { Button } from "../../../ui/button.tsx"
import { Field } from "../../../ui/field.tsx"
import { Form } from "../../../ui/form.tsx"

interface Props {
  label: string
  hint: string
  /** Shown inside the field, at its end. */
  end?: ReactNode
  stored: number
  range: readonly [least: number, most: number]
  /** Shown if the text isn't a whole number in this range. */
  fault: string
  /** Why the last attempt was refused. */
  error: Error | null
  /** True if the setting currently has no effect. */
  isOff?: boolean
  /** Label of the button, for screen readers. */
  action: string
  onSave(value: number): void
}

/** A whole-number setting, with a button that saves it. */
export function NumberForm({ stored, range, fault, error, isOff = false, action, onSave, ...field }: Props) {
  const [typed, setTyped] = useState(String(stored))
  const value = /^\d{1,5}$/.test(typed.trim()) ? Number(typed) : Number.NaN
  const isInRange = value >= range[0] && value <= range[1]
  const blocked = isOff || !isInRange || value === stored
  return (
    <Form className="flex max-w-96 items-start gap-2" blocked={blocked} onSubmit={() => onSave(value)}>
      <Field
        {...field}
        inputMode="numeric"
        value={typed}
        disabled={isOff}
        onChange={setTyped}
        error={isInRange ? error?.message : fault}
        className="min-w-0 flex-1"
      />
      <Button type="submit" disabled={blocked} className="mt-[23px]" aria-label={action}>
        Save
      </Button>
    </Form>
  )
}
