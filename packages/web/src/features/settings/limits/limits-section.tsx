import { useState } from "react"
import { Link } from "wouter"
import { paths } from "../../../session/context/routes.ts"
import { useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { UnloadedList } from "../../../ui/unloaded-list.tsx"
import { useAgents } from "../../home/use-agents.ts"
import { fromLimitForm, type LimitFaults, type LimitForm, toLimitForm } from "./limit-form.ts"
import { LimitRules } from "./limit-rules.tsx"
import { useActionSettings } from "./use-limits.ts"
import { WaitingFields } from "./waiting-fields.tsx"

/** The rules about accounts' limits: who is told, who goes on, and what waits. */
export function LimitsSection() {
  const { settings, change } = useActionSettings()
  const accounts = useAgents().agents.filter(({ key }) => key === "account")
  if (!settings.data) {
    return (
      <div className="border-t border-line pt-5">
        <UnloadedList list={settings} lines={5} />
      </div>
    )
  }
  return (
    <LimitsForm
      // What was saved, here or elsewhere, is a form of its own.
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
    <form
      noValidate
      className="flex flex-col gap-8 border-t border-line pt-5"
      onSubmit={(event) => {
        event.preventDefault()
        const filled = fromLimitForm(form)
        if ("faults" in filled) return setFaults(filled.faults)
        setFaults({})
        change.mutate(filled.settings, { onSuccess: () => toast("Saved. New tasks follow these rules.", "ok") })
      }}
    >
      {change.error && <Notice tone="err">{change.error.message}</Notice>}
      <section aria-labelledby="limit-rules">
        <h2 id="limit-rules" className="text-lg">
          Rules
        </h2>
        <p className="mt-1 mb-3 text-sm text-ink-3">
          The first that can be followed counts. Which account is next is the{" "}
          <Link href={paths.settings("accounts")} className="text-accent underline underline-offset-2">
            fallback order
          </Link>
          .
        </p>
        <LimitRules rules={form.rules} accounts={accounts} faults={faults} onChange={(rules) => edit({ rules })} />
      </section>
      <WaitingFields form={form} faults={faults} onChange={edit} />
      <Button type="submit" tone="primary" className="self-start" disabled={change.isPending || form === stored}>
        Save
      </Button>
    </form>
  )
}
