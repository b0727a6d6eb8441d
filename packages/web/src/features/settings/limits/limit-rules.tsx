import type { LimitRule } from "@switchyard/core/agents/hand-off/schema"
import type { ReactNode } from "react"
import { Button } from "../../../ui/button.tsx"
import { ChoiceField, Field, fieldsOf, SelectField } from "../../../ui/field.tsx"
import { Plus } from "../../../ui/icons.tsx"
import { ListButtons } from "../list/list-buttons.tsx"
import type { LimitFaults, RuleForm } from "./limit-form.ts"

const EVENTS = {
  session_usage: "Limit of a few hours",
  weekly_usage: "Limit of a week",
  context_usage: "Room of the conversation",
} satisfies Record<LimitRule["event"], string>

const ACTIONS = {
  notify: "Tell me",
  switch_provider: "Go on with another account",
  await_reset: "Wait until it is reset",
} satisfies Record<LimitRule["action"], string>

interface Props {
  rules: RuleForm[]
  accounts: string[]
  faults: LimitFaults
  onChange(rules: RuleForm[]): void
}

/** The rules, in the order in which they are evaluated. */
export function LimitRules({ rules, accounts, faults, onChange }: Props) {
  const added: RuleForm = {
    key: Math.max(-1, ...rules.map(({ key }) => key)) + 1,
    ...{ event: "session_usage", action: "notify", threshold: "90", target: "" },
  }
  return (
    <>
      {rules.length === 0 && <p className="mb-3 text-ink-2">None: a limit that is used up ends the task.</p>}
      <ol>
        {rules.map((rule, at) => (
          <li key={rule.key} className="border-b border-line py-3 first:border-t">
            <fieldset>
              <legend className="unseen">Rule {at + 1}</legend>
              <Rule
                rule={rule}
                at={at}
                accounts={accounts}
                faults={faults}
                onChange={(edited) => onChange(rules.map((one) => (one === rule ? { ...one, ...edited } : one)))}
              >
                <ListButtons
                  list={rules}
                  at={at}
                  name={`rule ${at + 1}`}
                  removal={`Remove rule ${at + 1}`}
                  onChange={onChange}
                />
              </Rule>
            </fieldset>
          </li>
        ))}
      </ol>
      <Button size="sm" className="mt-3" onClick={() => onChange([...rules, added])}>
        <Plus size={14} aria-hidden /> Add a rule
      </Button>
    </>
  )
}

interface RuleProps {
  rule: RuleForm
  at: number
  accounts: string[]
  faults: LimitFaults
  onChange(edited: Partial<RuleForm>): void
  /** Buttons for its position in the list. */
  children: ReactNode
}

function Rule({ rule, at, accounts, faults, onChange, children }: RuleProps) {
  const { action, target } = rule
  const of = fieldsOf(rule, onChange, {
    threshold: faults[`${at}.threshold`] ?? null,
    action: faults[`${at}.action`] ?? null,
  })
  return (
    <div className="grid items-start gap-3 sm:grid-cols-[minmax(0,1fr)_6.5rem_minmax(0,1.1fr)_auto]">
      <ChoiceField label="When" of={EVENTS} {...of("event")} />
      <Field
        label="Is used to"
        end={<span className="pr-3 text-ink-3">%</span>}
        inputMode="numeric"
        {...of("threshold")}
      />
      <ChoiceField label="Then" of={ACTIONS} {...of("action")} />
      <div className="flex justify-end gap-1 max-sm:order-last sm:pt-6">{children}</div>
      {action === "switch_provider" && (
        <SelectField
          label="Account"
          className="sm:col-span-3"
          options={[["", "The next of the fallback order"], ...new Set([...accounts, target].filter(Boolean))]}
          {...of("target")}
        />
      )}
    </div>
  )
}
