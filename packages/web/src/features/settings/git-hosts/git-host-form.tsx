import { type GitHostKind, GitHostName, NewGitHost } from "@switchyard/core/people/git-hosts/schema"
import { useState } from "react"
import { useToast } from "../../../session/context/studio.ts"
import { ChoiceField, Field, formErrors, useFields } from "../../../ui/field.tsx"
import { SecretField } from "../../../ui/secret-field.tsx"
import { EntryForm } from "../list/entry-form.tsx"
import { kindNames, neededScopes, usualHosts } from "./kind-names.ts"
import type { GitHostActions } from "./use-git-hosts.ts"

const blank = { host: "", token: "", username: "" }

/** Form that adds or replaces a host's token. The token is sent to the server once, and never returned. */
export function GitHostForm({ put }: { put: GitHostActions["put"] }) {
  const toast = useToast()
  const [kind, setKind] = useState<GitHostKind>("github")
  const { form: filled, setForm, edit, field, setFaults } = useFields({ ...blank, host: usualHosts.github as string })

  const choose = (next: GitHostKind) => {
    setKind(next)
    if (filled.host === usualHosts[kind]) edit({ host: usualHosts[next] })
  }

  const submit = () => {
    const host = GitHostName.safeParse(filled.host.trim())
    const body = NewGitHost.safeParse({ kind, token: filled.token, username: filled.username.trim() || null })
    setFaults({
      ...(body.error && formErrors(body.error)),
      ...(host.error && { host: host.error.issues[0]?.message }),
    })
    if (!host.success || !body.success) return
    const onSuccess = () => {
      setForm({ ...blank, host: usualHosts[kind] })
      toast(`Saved the token for ${host.data}.`, "ok")
    }
    put.mutate({ host: host.data, body: body.data }, { onSuccess })
  }

  return (
    <EntryForm
      title="Add or replace a token"
      action="Save token"
      doing="Saving"
      change={put}
      blocked={filled.token.trim() === ""}
      onSubmit={submit}
    >
      <ChoiceField label="Kind" of={kindNames} value={kind} hint={neededScopes[kind]} onChange={choose} />
      <Field label="Host" {...field("host")} verbatim />
      <div className="sm:col-span-2">
        <SecretField label="Token" hint="Encrypted; can't be viewed again." {...field("token")} />
      </div>
      <Field label="User name" hint="Only for deploy tokens." {...field("username")} verbatim />
    </EntryForm>
  )
}
