import { useState } from "react"
import { paths } from "../../../session/context/routes.ts"
import { useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { Field, fieldsOf } from "../../../ui/field.tsx"
import { Form } from "../../../ui/form.tsx"
import { ErrorNotice, UnloadedSection } from "../../../ui/notice.tsx"
import { TextLink } from "../../../ui/text-link.tsx"
import { useAgents } from "../../home/use-agents.ts"
import { fromLimitForm, type LimitFaults, type LimitForm, toLimitForm } from "./limit-form.ts"
import { LimitRules } from "./limit-rules.tsx"
import { useActionSettings } from "./use-limits.ts"

/** Rules for accounts' limits: when to notify the user, switch accounts, or wait. */
export function LimitsSection() {
  const { settings, change } = useActionSettings()
  const accounts = useAgents().agents.filter(({ key }) => key === "account")
  if (!settings.data) return <UnloadedSection list={settings} lines={5} />
  return (
    <LimitsForm
      // Settings saved here or elsewhere get a new form.
      key={JSON.stringify(settings.data)}
      initial={toLimitForm(settings.data, Intl.DateTimeFormat().resolvedOptions().timeZone)}
      accounts={accounts.map(({ name }) => name)}
      change={change}
    />
  )
}

interface Props {
  initial: LimitForm
  accounts: string[]
  change: ReturnType<typeof useActionSettings>["change"]
}

function LimitsForm({ initial, accounts, change }: Props) {
  const toast = useToast()
  const [stored] = useState(initial)
  const [form, setForm] = useState(stored)
  const [faults, setFaults] = useState<LimitFaults>({})
  const edit = (edited: Partial<LimitForm>) => {
    setForm({ ...form, ...edited })
    setFaults({})
  }
  return (
    <Form
      noValidate
      className="flex flex-col gap-8 border-t border-line pt-5"
      onSubmit={() => {
        const filled = fromLimitForm(form)
        if ("faults" in filled) return setFaults(filled.faults)
        setFaults({})
        change.mutate(filled.settings, { onSuccess: () => toast("Saved. New tasks follow these rules.", "ok") })
      }}
    >
      <ErrorNotice error={change.error} />
      <section aria-labelledby="limit-rules">
        <h2 id="limit-rules" className="text-lg">
          Rules
        </h2>
        <p className="mt-1 mb-3 text-sm text-ink-3">
          The first that can be followed counts. Which account is next is the{" "}
          <TextLink href={paths.settings("accounts")}>fallback order</TextLink>.
        </p>
        <LimitRules rules={form.rules} accounts={accounts} faults={faults} onChange={(rules) => edit({ rules })} />
      </section>
      <WaitingFields form={form} faults={faults} onChange={edit} />
      <Button type="submit" tone="primary" className="self-start" disabled={change.isPending || form === stored}>
        Save
      </Button>
    </Form>
  )
}

interface WaitingFieldsProps {
  form: LimitForm
  faults: LimitFaults
  onChange(edited: Partial<LimitForm>): void
}

/**
 * Settings for how often a task may wait for a limit to reset, and for the hours during which tasks don't resume
 * automatically.
 */
function WaitingFields({ form, faults, onChange }: WaitingFieldsProps) {
  const field = fieldsOf(form, onChange, faults)
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
      <Checkbox label="Quiet hours" hint="No task that waits goes on by itself in these hours." {...field("isQuiet")} />
      {form.isQuiet && (
        <div className="grid max-w-[600px] items-start gap-3 sm:grid-cols-[9.5rem_9.5rem_minmax(0,1fr)]">
          <Field label="From" type="time" {...field("from")} />
          <Field label="To" type="time" {...field("to")} />
          <Field label="Time zone" suggestions={Intl.supportedValuesOf("timeZone")} {...field("timeZone")} verbatim />
        </div>
      )}
    </section>
  )
}
