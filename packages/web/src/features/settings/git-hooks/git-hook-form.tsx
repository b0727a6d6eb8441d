import { type GitHookKind, NewGitHook } from "@switchyard/core/people/git-hooks/schema"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { ChoiceField, Field, formErrors, useFields } from "../../../ui/field.tsx"
import { kindNames } from "../git-hosts/kind-names.ts"
import { EntryForm } from "../list/entry-form.tsx"
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

export function GitHookForm({ create }: { create: GitHookActions["create"] }) {
  const { form: filled, field, setFaults } = useFields(blank)
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

  return (
    <EntryForm
      title="Add a git hook"
      action="Add git hook"
      doing="Adding"
      change={create}
      blocked={rules.length === 0}
      onSubmit={submit}
    >
      <ChoiceField label="Host" of={HOSTS} {...field("kind")} />
      <Field label="Agent" hint="The account, or the agent, that does the work." {...field("coding_agent")} verbatim />
      <div className="sm:col-span-2">
        <Field label="Repository" placeholder={`https://${kind}.com/…`} {...field("repository")} verbatim />
      </div>
      <fieldset className="sm:col-span-2">
        <legend className="mb-1 text-sm font-semibold">Starts a run</legend>
        <Checkbox
          label="For comments that begin with @switchyard"
          hint="What follows is the task."
          {...field("comment")}
        />
        <Checkbox label="When a check of a branch fails" {...field("failedCheck")} />
      </fieldset>
      <Field label="For issues with the label" hint="Optional. The issue is the task." {...field("label")} verbatim />
      <Field
        label="Whose comments count"
        hint={kind === "github" ? "Members of the repository, if you name nobody." : "On GitLab, only of these users."}
        {...field("users")}
        verbatim
      />
    </EntryForm>
  )
}
