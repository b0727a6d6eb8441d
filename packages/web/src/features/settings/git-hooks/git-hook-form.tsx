import { GitHookKind, NewGitHook } from "@switchyard/core/people/git-hooks/schema"
import { useState } from "react"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { Field } from "../../../ui/field.tsx"
import { formErrors } from "../../../ui/form-errors.ts"
import { SelectField } from "../../../ui/select-field.tsx"
import { kindNames } from "../git-hosts/kind-names.ts"
import { EntryForm } from "../list/entry-form.tsx"
import type { GitHookActions } from "./use-git-hooks.ts"

const blank = { repository: "", coding_agent: "", label: "", users: "" }

const words = (text: string) => text.split(/[\s,]+/).filter(Boolean)

export function GitHookForm({ create }: { create: GitHookActions["create"] }) {
  const [kind, setKind] = useState<GitHookKind>("github")
  const [filled, setFilled] = useState(blank)
  const [comment, setComment] = useState(true)
  const [failedCheck, setFailedCheck] = useState(false)
  const [faults, setFaults] = useState<Partial<Record<string, string>>>({})
  const field = (name: keyof typeof blank) => ({
    value: filled[name],
    error: faults[name],
    verbatim: true,
    onChange: (text: string) => setFilled({ ...filled, [name]: text }),
  })
  const label = filled.label.trim()
  const rules = [
    ...(label ? [{ on: "issue_labelled", label }] : []),
    ...(comment ? [{ on: "comment" }] : []),
    ...(failedCheck ? [{ on: "check_failed" }] : []),
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
      <SelectField
        label="Host"
        value={kind}
        options={GitHookKind.options.map((one) => [one, kindNames[one]])}
        onChange={(value) => setKind(GitHookKind.parse(value))}
      />
      <Field label="Agent" hint="The account, or the agent, that does the work." {...field("coding_agent")} />
      <div className="sm:col-span-2">
        <Field label="Repository" placeholder={`https://${kind}.com/…`} {...field("repository")} />
      </div>
      <fieldset className="sm:col-span-2">
        <legend className="mb-1 text-sm font-semibold">Starts a run</legend>
        <Checkbox
          label="For comments that begin with @switchyard"
          hint="What follows is the task."
          checked={comment}
          onChange={setComment}
        />
        <Checkbox label="When a check of a branch fails" checked={failedCheck} onChange={setFailedCheck} />
      </fieldset>
      <Field label="For issues with the label" hint="Optional. The issue is the task." {...field("label")} />
      <Field
        label="Whose comments count"
        hint={kind === "github" ? "Members of the repository, if you name nobody." : "On GitLab, only of these users."}
        {...field("users")}
      />
    </EntryForm>
  )
}
