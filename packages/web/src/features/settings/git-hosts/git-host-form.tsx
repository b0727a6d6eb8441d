import { type GitHost, type GitHostKind, GitHostName, NewGitHost } from "@switchyard/core/people/git-hosts/schema"
import { useToast } from "../../../session/context/studio.ts"
import { ChoiceField, Field, formErrors, useFields } from "../../../ui/field.tsx"
import { SecretField } from "../../../ui/secret-field.tsx"
import { EntryDialog } from "../list/entry-dialog.tsx"
import { kindNames, neededScopes, usualHosts } from "./kind-names.ts"
import type { GitHostActions } from "./use-git-hosts.ts"

interface Props {
  /** The host whose token is replaced; null for a new one. */
  entry: GitHost | null
  put: GitHostActions["put"]
  onClose(): void
}

/** Form that adds or replaces a host's token. The token is sent to the server once, and never returned. */
export function GitHostForm({ entry, put, onClose }: Props) {
  const toast = useToast()
  const { form, edit, field, setFaults } = useFields({
    kind: entry?.kind ?? "github",
    host: entry?.host ?? usualHosts.github,
    username: entry?.username ?? "",
    token: "",
  })
  const { kind } = form

  const choose = (next: GitHostKind) =>
    edit({ kind: next, ...(form.host === usualHosts[kind] && { host: usualHosts[next] }) })

  const submit = () => {
    const host = GitHostName.safeParse(form.host.trim())
    const body = NewGitHost.safeParse({
      ...{ kind, token: form.token, username: form.username.trim() || null },
      // The form doesn't show them, so keep them.
      ...(entry?.kind === kind && { scheme: entry.scheme, api_url: entry.api_url }),
    })
    setFaults({
      ...(body.error && formErrors(body.error)),
      ...(host.error && { host: host.error.issues[0]?.message }),
    })
    if (!host.success || !body.success) return
    const onSuccess = () => {
      toast(`Saved the token for ${host.data}.`, "ok")
      onClose()
    }
    put.mutate({ host: host.data, body: body.data }, { onSuccess })
  }

  return (
    <EntryDialog
      title={entry ? `Replace the token for ${entry.host}` : "Add a token"}
      action="Save"
      change={put}
      blocked={form.token.trim() === ""}
      onSubmit={submit}
      onClose={onClose}
    >
      <ChoiceField label="Service" of={kindNames} {...field("kind")} onChange={choose} />
      {!entry && <Field label="Host" {...field("host")} verbatim />}
      <SecretField
        label="Token"
        hint={`${neededScopes[kind]} It's encrypted and never shown again.`}
        autoComplete="off"
        {...field("token")}
      />
      <Field label="Username" hint="Only needed for deploy tokens." {...field("username")} verbatim />
    </EntryDialog>
  )
}
