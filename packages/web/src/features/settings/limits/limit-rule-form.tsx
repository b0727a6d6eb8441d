import type { LimitRule } from "@switchyard/core/agents/hand-off/schema"
import { ChoiceField, Field, SelectField, useFields } from "../../../ui/field.tsx"
import { EntryDialog } from "../list/entry-dialog.tsx"
import { blankRule, fromRuleForm, type RuleForm, toRuleForm } from "./limit-form.ts"

const EVENTS = {
  session_usage: "Session limit",
  weekly_usage: "Weekly limit",
  context_usage: "Context window",
} satisfies Record<LimitRule["event"], string>

const ACTIONS = {
  notify: "Notify me",
  switch_provider: "Switch to another account",
  await_reset: "Wait for the limit to reset",
} satisfies Record<LimitRule["action"], string>

interface Props {
  /** The rule to edit; null for a new one. */
  entry: LimitRule | null
  accounts: string[]
  change: { isPending: boolean; error: Error | null; reset(): void }
  onSave(rule: LimitRule): void
  onClose(): void
}

export function LimitRuleForm({ entry, accounts, change, onSave, onClose }: Props) {
  const { form, field, setFaults } = useFields<RuleForm>(entry ? toRuleForm(entry) : blankRule)
  const submit = () => {
    const filled = fromRuleForm(form)
    setFaults("faults" in filled ? filled.faults : {})
    if ("rule" in filled) onSave(filled.rule)
  }
  return (
    <EntryDialog
      title={entry ? "Edit the rule" : "Add a rule"}
      action="Save"
      change={change}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="grid grid-cols-[minmax(0,1fr)_7rem] items-start gap-3">
        <ChoiceField label="When" of={EVENTS} {...field("event")} />
        <Field
          label="Threshold"
          end={<span className="pr-3 text-ink-3">%</span>}
          inputMode="numeric"
          {...field("threshold")}
        />
      </div>
      <ChoiceField label="Then" of={ACTIONS} {...field("action")} />
      {form.action === "switch_provider" && (
        <SelectField
          label="Account"
          options={[["", "Next in fallback order"], ...new Set([...accounts, form.target].filter(Boolean))]}
          {...field("target")}
        />
      )}
    </EntryDialog>
  )
}

export function nameOf({ event, threshold }: LimitRule): string {
  return `${EVENTS[event]} at ${threshold}%`
}

export function actionOf({ action, target_account }: LimitRule): string {
  return action === "switch_provider" && target_account ? `Switch to ${target_account}` : ACTIONS[action]
}
