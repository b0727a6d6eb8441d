import { type PermissionRules, StoredPermissionRules } from "@switchyard/core/people/settings/permission-rules-schema"
import { useState } from "react"
import { useReplacement, useResponse } from "../../../session/context/requests.ts"
import { useToast } from "../../../session/context/studio.ts"
import { Button, IconButton } from "../../../ui/button.tsx"
import { ChoiceField, Field, fieldsOf } from "../../../ui/field.tsx"
import { Form } from "../../../ui/form.tsx"
import { Plus, X } from "../../../ui/icons.tsx"
import { Notice, UnloadedSection } from "../../../ui/notice.tsx"
import { fromRulesForm, type RuleFaults, type RuleForm, toRulesForm } from "./rules-form.ts"

/** Rules for what agents may do, in all repositories or in one. */
export function PermissionsSection() {
  const { list, replace } = usePermissionRules()
  if (!list.data) return <UnloadedSection list={list} lines={4} />
  return <RulesForm key={list.data.version} stored={list.data} replace={replace} />
}

interface Props {
  stored: typeof StoredPermissionRules._output
  replace: ReturnType<typeof usePermissionRules>["replace"]
}

function RulesForm({ stored, replace }: Props) {
  const toast = useToast()
  const [initial] = useState(() => toRulesForm(stored))
  const [rules, setRules] = useState(initial)
  const [faults, setFaults] = useState<RuleFaults>({})
  const edit = (edited: RuleForm[]) => {
    setRules(edited)
    setFaults({})
  }
  const added: RuleForm = {
    key: Math.max(-1, ...rules.map(({ key }) => key)) + 1,
    ...{ repository: "", tool: "any", about: "", value: "", effect: "ask", others: {} },
  }
  return (
    <Form
      noValidate
      className="border-t border-line pt-5"
      onSubmit={() => {
        const filled = fromRulesForm(rules)
        if ("faults" in filled) return setFaults(filled.faults)
        replace.mutate(
          { ...filled.rules, version: stored.version },
          { onSuccess: () => toast("Saved. New tasks follow these rules.", "ok") },
        )
      }}
    >
      {(replace.error || faults.all) && (
        <Notice tone="err" className="mb-4">
          {replace.error?.message ?? faults.all}
        </Notice>
      )}
      <p className="mb-3 text-ink-2">
        {rules.length === 0
          ? "No rules: what an agent may do is what its mode says, and what was allowed in its session."
          : "They hold whatever an agent's mode is. Of several that fit, the last one counts, but one that denies counts before all."}
      </p>
      <ol>
        {rules.map((rule, at) => (
          <li key={rule.key} className="border-b border-line py-3 first:border-t">
            <fieldset>
              <legend className="unseen">Rule {at + 1}</legend>
              <Rule
                rule={rule}
                fault={faults[`${at}.value`] ?? null}
                onChange={(edited) => edit(rules.map((one) => (one === rule ? { ...one, ...edited } : one)))}
              />
              <div className="mt-1 flex justify-end">
                <IconButton label={`Remove rule ${at + 1}`} onClick={() => edit(rules.filter((one) => one !== rule))}>
                  <X size={16} aria-hidden />
                </IconButton>
              </div>
            </fieldset>
          </li>
        ))}
      </ol>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button onClick={() => edit([...rules, added])}>
          <Plus size={14} aria-hidden /> Add a rule
        </Button>
        <Button type="submit" tone="primary" disabled={rules === initial || replace.isPending}>
          Save
        </Button>
      </div>
    </Form>
  )
}

const EFFECTS = { allow: "Allow", ask: "Ask me", deny: "Deny" } satisfies Record<RuleForm["effect"], string>

const TOOLS = {
  ...{ any: "Any tool", bash: "Commands", read: "Reading files", write: "Writing files", edit: "Editing files" },
  ...{ glob: "Finding files", grep: "Searching files", mcp: "Tools of MCP servers", other: "Other tools" },
} satisfies Record<RuleForm["tool"], string>

const ABOUT = {
  "": "Always",
  path: "For files",
  command: "For commands that begin with",
  name: "For the tool named",
} satisfies Record<RuleForm["about"], string>

const HINTS = {
  path: "Such as src/**/*.ts: * is a part of a name, ** any folders.",
  command: "Such as npm test.",
  name: "As the agent's program calls it.",
}

interface RuleProps {
  rule: RuleForm
  fault: string | null
  onChange(edited: Partial<RuleForm>): void
}

function Rule({ rule, fault, onChange }: RuleProps) {
  const { about } = rule
  const of = fieldsOf(rule, onChange, { value: fault })
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      <ChoiceField label="Effect" of={EFFECTS} {...of("effect")} />
      <ChoiceField label="Tools" of={TOOLS} {...of("tool")} />
      <ChoiceField label="When" of={ABOUT} {...of("about")} />
      {about !== "" && <Field label={ABOUT[about]} hint={HINTS[about]} {...of("value")} verbatim />}
      <Field
        label="Repository"
        hint="A folder or address, as in a task. Empty for all."
        className="sm:col-span-2"
        {...of("repository")}
        verbatim
      />
    </div>
  )
}

const KEY = ["permission-rules"]

/** Returns the user's rules for agents. They are replaced as a whole, but never overwrite a concurrent change. */
function usePermissionRules() {
  const list = useResponse(KEY, "GET /api/v1/config/permissions", { response: StoredPermissionRules })
  const replace = useReplacement(
    KEY,
    (api, body: PermissionRules & { version: number }) =>
      api.call("PUT /api/v1/config/permissions", { body, response: StoredPermissionRules }),
    // Keeps what is filled in, because refetching would replace it with the concurrent change.
    { keeps: true },
  )
  return { list, replace }
}
