import { paths } from "../../../session/context/routes.ts"
import { UnloadedSection } from "../../../ui/notice.tsx"
import { TextLink } from "../../../ui/text-link.tsx"
import { useAgents } from "../../home/use-agents.ts"
import { CrudSection } from "../list/crud-section.tsx"
import { EntryText } from "../list/entry-text.tsx"
import { toWaitingForm } from "./limit-form.ts"
import { actionOf, LimitRuleForm, nameOf } from "./limit-rule-form.tsx"
import { useActionSettings } from "./use-limits.ts"
import { WaitingSection } from "./waiting-section.tsx"

const textOf = (rule: Parameters<typeof nameOf>[0]) => `${nameOf(rule)}: ${actionOf(rule)}`

/** Rules for accounts' limits: when to notify the user, switch accounts, or wait. */
export function LimitsSection() {
  const { settings, change } = useActionSettings()
  const accounts = useAgents().agents.filter(({ key }) => key === "account")
  const rules = settings.data?.settings.map((rule, at) => ({ ...rule, at })) ?? []
  const save = (edited: typeof rules, options?: { onSuccess(): void }) =>
    change.mutate({ settings: edited.map(({ at: _, ...rule }) => rule) }, options)
  if (!settings.data) return <UnloadedSection list={settings} lines={5} />
  const waiting = toWaitingForm(settings.data, Intl.DateTimeFormat().resolvedOptions().timeZone)
  return (
    <>
      <CrudSection
        title="Rules"
        hint={
          <>
            The first matching rule applies. Accounts are tried in{" "}
            <TextLink href={paths.settings("accounts")}>fallback order</TextLink>.
          </>
        }
        list={settings}
        entries={rules}
        empty="No rules yet. A task ends when its account reaches its limit."
        keyOf={(rule) => textOf(rule)}
        nameOf={({ at }) => `rule ${at + 1}`}
        row={(rule) => <EntryText name={nameOf(rule)} facts={actionOf(rule)} />}
        add="Add rule"
        edit="Edit"
        form={(entry, close) => (
          <LimitRuleForm
            entry={entry}
            accounts={accounts.map(({ name }) => name)}
            change={change}
            onSave={(rule) => {
              const at = entry?.at ?? rules.length
              save(rules.toSpliced(at, 1, { ...rule, at }), { onSuccess: close })
            }}
            onClose={close}
          />
        )}
        order={{ save, error: change.error }}
        removal={{
          action: "Delete",
          text: (rule) => `${textOf(rule)}. New tasks will no longer follow this rule.`,
          remove: ({ at }, options) => save(rules.toSpliced(at, 1), options),
          mutation: change,
        }}
      />
      {/* Settings saved here or elsewhere get a new form. */}
      <WaitingSection key={JSON.stringify(waiting)} initial={waiting} />
    </>
  )
}
