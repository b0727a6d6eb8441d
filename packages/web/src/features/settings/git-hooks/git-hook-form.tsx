import { type GitHookKind, NewGitHook } from "@switchyard/core/people/git-hooks/schema"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { ChoiceField, Field, formErrors, useFields } from "../../../ui/field.tsx"
import { useAgents } from "../../home/use-agents.ts"
import { kindNames } from "../git-hosts/kind-names.ts"
import { EntryDialog } from "../list/entry-dialog.tsx"
import { SecretsDialog } from "../list/secrets-dialog.tsx"
import type { GitHookActions } from "./use-git-hooks.ts"

const HOSTS = { github: kindNames.github, gitlab: kindNames.gitlab }
const blank = {
  repository: "",
  kind: "github" as GitHookKind,
  coding_agent: "",
  label: "",
  users: "",
  comment: true,
  failedCheck: false,
}

const words = (text: string) => text.split(/[\s,]+/).filter(Boolean)

interface Props {
  create: GitHookActions["create"]
  onClose(): void
}

/** Form for a new git hook, whose secret is shown afterwards. */
export function GitHookForm({ create, onClose }: Props) {
  const { form: filled, field, setFaults } = useFields(blank)
  const { agents } = useAgents()
  const { kind } = filled
  const label = filled.label.trim()
  const rules = [
    ...(label ? [{ on: "issue_labelled", label }] : []),
    ...(filled.comment ? [{ on: "comment" }] : []),
    ...(filled.failedCheck ? [{ on: "check_failed" }] : []),
  ]

  const submit = () => {
    const { repository, coding_agent } = filled
    const body = NewGitHook.safeParse({ repository, kind, coding_agent, rules, users: words(filled.users) })
    setFaults(body.error ? formErrors(body.error) : {})
    if (body.success) create.mutate(body.data)
  }

  if (create.data) {
    const { path, secret } = create.data
    return (
      <SecretsDialog
        title={`Finish setup on ${kindNames[kind]}`}
        secrets={{ URL: `${window.location.origin}${path}`, Secret: secret }}
        change={create}
        onClose={onClose}
      >
        In the repository's settings, add a webhook with this URL and secret
        {kind === "github" && ", and the content type application/json"}. The secret won't be shown again.
      </SecretsDialog>
    )
  }
  return (
    <EntryDialog
      title="Add a git hook"
      action="Add"
      change={create}
      blocked={rules.length === 0}
      onSubmit={submit}
      onClose={onClose}
    >
      <ChoiceField label="Host" of={HOSTS} {...field("kind")} />
      <Field label="Repository" placeholder={`https://${kind}.com/…`} {...field("repository")} verbatim />
      <Field
        label="Agent"
        hint="The run uses this account or agent."
        suggestions={agents.map(({ name }) => name)}
        {...field("coding_agent")}
        verbatim
      />
      <fieldset>
        <legend className="mb-1 text-sm font-semibold">Start a run for</legend>
        <Checkbox
          label="Comments starting with @switchyard"
          hint="The rest of the comment becomes the task."
          {...field("comment")}
        />
        <Checkbox label="Failed checks on a branch" {...field("failedCheck")} />
      </fieldset>
      <Field label="Issues labeled" hint="Optional. The issue becomes the task." {...field("label")} verbatim />
      <Field
        label="Allowed commenters"
        hint={`Enter usernames separated by commas. ${kind === "github" ? "Defaults to the repository's members." : "Required on GitLab."}`}
        {...field("users")}
        verbatim
      />
    </EntryDialog>
  )
}
