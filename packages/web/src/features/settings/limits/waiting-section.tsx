import { useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { Field, useFields } from "../../../ui/field.tsx"
import { Form } from "../../../ui/form.tsx"
import { ErrorNotice } from "../../../ui/notice.tsx"
import { fromWaitingForm, type WaitingForm } from "./limit-form.ts"
import { useActionSettings } from "./use-limits.ts"

/**
 * Settings for how often a task may wait for a limit to reset, and for the hours during which tasks don't resume
 * automatically.
 */
export function WaitingSection({ initial }: { initial: WaitingForm }) {
  const toast = useToast()
  const { change } = useActionSettings()
  const { form, field, setFaults } = useFields(initial)
  const blocked = change.isPending || JSON.stringify(form) === JSON.stringify(initial)
  const save = () => {
    const filled = fromWaitingForm(form)
    setFaults(filled.faults ?? {})
    if (filled.settings) change.mutate(filled.settings, { onSuccess: () => toast("Saved.", "ok") })
  }
  return (
    <section aria-labelledby="limit-waiting" className="border-t border-line pt-5">
      <h2 id="limit-waiting" className="mb-4 text-lg">
        Waiting
      </h2>
      <Form noValidate className="flex flex-col gap-4" blocked={blocked} onSubmit={save}>
        <ErrorNotice error={change.error} />
        <Field
          label="Retries per task"
          hint="How many times a task can wait for a limit to reset before failing."
          inputMode="numeric"
          className="max-w-80"
          {...field("maxWaits")}
        />
        <Checkbox label="Quiet hours" hint="Waiting tasks don't resume during these hours." {...field("isQuiet")} />
        {form.isQuiet && (
          <div className="grid items-start gap-3 sm:grid-cols-[9.5rem_9.5rem_minmax(0,1fr)]">
            <Field label="From" type="time" {...field("from")} />
            <Field label="To" type="time" {...field("to")} />
            <Field label="Time zone" suggestions={Intl.supportedValuesOf("timeZone")} {...field("timeZone")} verbatim />
          </div>
        )}
        <Button type="submit" tone="primary" className="self-start" disabled={blocked}>
          Save
        </Button>
      </Form>
    </section>
  )
}
