import { GitHookKind, NewGitHook } from "@switchyard/core/people/git-hooks/schema"
import { type FormEvent, useState } from "react"
import { Button } from "../../../ui/button.tsx"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { Field } from "../../../ui/field.tsx"
import { formErrors } from "../../../ui/form-errors.ts"
import { Notice } from "../../../ui/notice.tsx"
import { SelectField } from "../../../ui/select-field.tsx"
import { kindNames } from "../git-hosts/kind-names.ts"
import type { GitHookActions } from "./use-git-hooks.ts"

const blank = { repository: "", coding_agent: "", label: "", users: "" }

const words = (text: string) => text.split(/[\s,]+/).filter(Boolean)

/** A form that adds a git hook. */
export function GitHookForm({ create }: { create: GitHookActions["create"] }) {
  const [kind, setKind] = useState<GitHookKind>("github")
  const [filled, setFilled] = useState(blank)
  const [comment, setComment] = useState(true)
  const [failedCheck, setFailedCheck] = useState(false)
  const [faults, setFaults] = useState<Partial<Record<string, string>>>({})
  const field = (name: keyof typeof blank) => ({
    value: filled[name],
    error: faults[name],
    autoCapitalize: "off",
    spellCheck: false,
    onChange: (event: { target: { value: string } }) => setFilled({ ...filled, [name]: event.target.value }),
  })
  const label = filled.label.trim()
  const rules = [
    ...(label ? [{ on: "issue_labelled", label }] : []),
    ...(comment ? [{ on: "comment" }] : []),
    ...(failedCheck ? [{ on: "check_failed" }] : []),
  ]

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { repository, coding_agent } = filled
    const body = NewGitHook.safeParse({ repository, kind, coding_agent, rules, users: words(filled.users) })
    setFaults(body.error ? formErrors(body.error) : {})
    if (body.success && !create.isPending) create.mutate(body.data)
  }

  return (
    <form onSubmit={submit} noValidate aria-labelledby="new-git-hook">
      <h2 id="new-git-hook" className="mb-3 text-lg">
        Add a git hook
      </h2>
      {create.error && (
        <Notice tone="err" className="mb-4">
          {create.error.message}
        </Notice>
      )}
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <SelectField label="Host" value={kind} onChange={(value) => setKind(GitHookKind.parse(value))}>
          {GitHookKind.options.map((one) => (
            <option key={one} value={one}>
              {kindNames[one]}
            </option>
          ))}
        </SelectField>
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
          hint={
            kind === "github" ? "Members of the repository, if you name nobody." : "On GitLab, only of these users."
          }
          {...field("users")}
        />
      </div>
      <Button type="submit" tone="primary" className="mt-4" disabled={create.isPending || rules.length === 0}>
        {create.isPending ? "Adding" : "Add git hook"}
      </Button>
    </form>
  )
}
