import { ChoiceField, Field, useFields } from "../../../ui/field.tsx"
import { EntryDialog } from "../list/entry-dialog.tsx"
import type { RuleForm } from "./rules-form.ts"

const EFFECTS = { allow: "Allow", ask: "Ask me", deny: "Deny" } satisfies Record<RuleForm["effect"], string>

const TOOLS = {
  ...{ any: "Any tool", bash: "Commands", read: "Reading files", write: "Writing files", edit: "Editing files" },
  ...{ glob: "Finding files", grep: "Searching files", mcp: "MCP tools", other: "Other tools" },
} satisfies Record<RuleForm["tool"], string>

const ABOUT = {
  "": "Always",
  path: "For specific files",
  command: "For specific commands",
  name: "For a specific tool",
} satisfies Record<RuleForm["about"], string>

const VALUES = {
  path: {
    label: "Files",
    hint: "For example, src/**/*.ts. Use * for part of a name and ** for any number of folders.",
  },
  command: { label: "Command", hint: "Enter the beginning of the command, such as npm test." },
  name: { label: "Tool", hint: "Enter the agent's name for the tool." },
}

const blank: RuleForm = { at: -1, repository: "", tool: "any", about: "", value: "", effect: "ask", others: {} }

interface Props {
  /** The rule to edit; null for a new one. */
  entry: RuleForm | null
  change: { isPending: boolean; error: Error | null; reset(): void }
  onSave(rule: RuleForm): void
  onClose(): void
}

export function PermissionRuleForm({ entry, change, onSave, onClose }: Props) {
  const { form, field, setFaults } = useFields(entry ?? blank)
  const { about } = form
  const submit = () => {
    const isMissing = about !== "" && form.value.trim() === ""
    setFaults(isMissing ? { value: "Required." } : {})
    if (!isMissing) onSave(form)
  }
  return (
    <EntryDialog
      title={entry ? "Edit the rule" : "Add a rule"}
      action="Save"
      change={change}
      onSubmit={submit}
      onClose={onClose}
    >
      <ChoiceField label="Effect" of={EFFECTS} {...field("effect")} />
      <ChoiceField label="Tools" of={TOOLS} {...field("tool")} />
      <ChoiceField label="When" of={ABOUT} {...field("about")} />
      {about !== "" && <Field {...VALUES[about]} {...field("value")} verbatim />}
      <Field
        label="Repository"
        hint="Enter a folder or URL, or leave empty for all repositories."
        {...field("repository")}
        verbatim
      />
    </EntryDialog>
  )
}

export function nameOf({ effect, tool }: RuleForm): string {
  return `${EFFECTS[effect]} · ${TOOLS[tool]}`
}

/** Summarises a rule's conditions. */
export function factsOf({ about, value, repository }: RuleForm): string {
  const condition = about === "" ? [] : [`${VALUES[about].label}: ${value}`]
  return [...condition, repository || "all repositories"].join(" · ")
}
