import { useId } from "react"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { Field } from "../../../ui/field.tsx"
import type { LimitFaults, LimitForm } from "./limit-form.ts"

interface Props {
  form: LimitForm
  faults: LimitFaults
  onChange(edited: Partial<LimitForm>): void
}

/** The number of times that a task waits for a limit to be reset, and the hours in which none goes on by itself. */
export function WaitingFields({ form, faults, onChange }: Props) {
  const zones = useId()
  const field = (name: "maxWaits" | "from" | "to" | "timeZone") => ({
    value: form[name],
    error: faults[name] ?? null,
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
  })
  return (
    <section aria-labelledby="limit-waiting" className="flex flex-col gap-4">
      <h2 id="limit-waiting" className="text-lg">
        Waiting
      </h2>
      <Field
        label="Waits of a task"
        hint="How often one task waits for a limit to be reset. Then it fails, with its work kept."
        inputMode="numeric"
        className="max-w-60"
        {...field("maxWaits")}
      />
      <Checkbox
        label="Quiet hours"
        hint="No task that waits goes on by itself in these hours."
        checked={form.isQuiet}
        onChange={(isQuiet) => onChange({ isQuiet })}
      />
      {form.isQuiet && (
        <div className="grid max-w-[600px] items-start gap-3 sm:grid-cols-[9.5rem_9.5rem_minmax(0,1fr)]">
          <Field label="From" type="time" {...field("from")} />
          <Field label="To" type="time" {...field("to")} />
          <Field label="Time zone" list={zones} autoComplete="off" spellCheck={false} {...field("timeZone")} />
          <datalist id={zones}>
            {Intl.supportedValuesOf("timeZone").map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </datalist>
        </div>
      )}
    </section>
  )
}
