import { GitHostKind, GitHostName, NewGitHost } from "@switchyard/core/people/git-hosts/schema"
import { type FormEvent, useState } from "react"
import { useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { Field } from "../../../ui/field.tsx"
import { formErrors } from "../../../ui/form-errors.ts"
import { Notice } from "../../../ui/notice.tsx"
import { SecretField } from "../../../ui/secret-field.tsx"
import { SelectField } from "../../../ui/select-field.tsx"
import { kindNames, neededScopes, usualHosts } from "./kind-names.ts"
import type { GitHostActions } from "./use-git-hosts.ts"

const blank = { host: "", token: "", username: "" }

/** A form that adds a host's token, or replaces it. It is sent to the server once, and never returned. */
export function GitHostForm({ put }: { put: GitHostActions["put"] }) {
  const toast = useToast()
  const [kind, setKind] = useState<GitHostKind>("github")
  const [filled, setFilled] = useState({ ...blank, host: usualHosts.github as string })
  const [faults, setFaults] = useState<Partial<Record<string, string>>>({})
  const field = (name: keyof typeof blank) => ({
    value: filled[name],
    error: faults[name],
    onChange: (event: { target: { value: string } }) => setFilled({ ...filled, [name]: event.target.value }),
  })

  const choose = (next: GitHostKind) => {
    setKind(next)
    if (filled.host === usualHosts[kind]) setFilled({ ...filled, host: usualHosts[next] })
  }

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const host = GitHostName.safeParse(filled.host.trim())
    const body = NewGitHost.safeParse({ kind, token: filled.token, username: filled.username.trim() || null })
    setFaults({
      ...(body.error && formErrors(body.error)),
      ...(host.error && { host: host.error.issues[0]?.message }),
    })
    if (!host.success || !body.success || put.isPending) return
    const onSuccess = () => {
      setFilled({ ...blank, host: usualHosts[kind] })
      toast(`Saved the token for ${host.data}.`, "ok")
    }
    put.mutate({ host: host.data, body: body.data }, { onSuccess })
  }

  return (
    <form onSubmit={submit} noValidate aria-labelledby="new-git-host">
      <h2 id="new-git-host" className="mb-3 text-lg">
        Add or replace a token
      </h2>
      {put.error && (
        <Notice tone="err" className="mb-4">
          {put.error.message}
        </Notice>
      )}
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <SelectField
          label="Kind"
          value={kind}
          hint={neededScopes[kind]}
          onChange={(value) => choose(GitHostKind.parse(value))}
        >
          {GitHostKind.options.map((one) => (
            <option key={one} value={one}>
              {kindNames[one]}
            </option>
          ))}
        </SelectField>
        <Field label="Host" autoCapitalize="off" spellCheck={false} {...field("host")} />
        <div className="sm:col-span-2">
          <SecretField label="Token" hint="Encrypted; can't be viewed again." {...field("token")} />
        </div>
        <Field
          label="User name"
          hint="Only for deploy tokens."
          autoCapitalize="off"
          spellCheck={false}
          {...field("username")}
        />
      </div>
      <Button type="submit" tone="primary" className="mt-4" disabled={put.isPending || filled.token.trim() === ""}>
        {put.isPending ? "Saving" : "Save token"}
      </Button>
    </form>
  )
}
