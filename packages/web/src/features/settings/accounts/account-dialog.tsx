import type { AccountView, Provider } from "@switchyard/core/people/accounts/schema"
import { formatCount } from "@switchyard/core/text/format"
import { useState } from "react"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { Field } from "../../../ui/field.tsx"
import { ErrorNotice } from "../../../ui/notice.tsx"
import { useAgentModels } from "../../home/use-agent-models.ts"
import { EntryDialog } from "../list/entry-dialog.tsx"
import {
  AGREE_FIRST,
  blankCredential,
  CredentialFields,
  credentialRequest,
  loginFaultOf,
} from "./credential-fields.tsx"
import { MockFields, useMockForm } from "./mock-fields.tsx"
import type { AccountActions } from "./use-accounts.ts"
import { useLoginTerminal } from "./use-login-terminal.tsx"

interface Props {
  account: AccountView
  provider: Provider | undefined
  change: AccountActions["change"]
  onClose(): void
}

/** An account's credential, its model, and whether its agent reviews other agents' work. */
export function AccountDialog({ account, provider, change, onClose }: Props) {
  const models = useAgentModels(account.name)
  const [model, setModel] = useState(account.model ?? "")
  const [reviews, setReviews] = useState(account.role === "VERIFICATION")
  const [credential, setCredential] = useState({
    ...blankCredential,
    kind: account.has_login ? ("login" as const) : ("api_key" as const),
  })
  const [reasoning, setReasoning] = useState(account.reasoning ?? "")
  const mock = useMockForm(account.provider === "mock" ? account.name : null)
  const [failure, setFailure] = useState<Error | null>(null)
  const [faults, setFaults] = useState<Partial<Record<string, string>>>({})
  const login = useLoginTerminal(onClose)
  const logIn = () => {
    setFaults(credential.consent ? {} : { login: AGREE_FIRST })
    if (credential.consent) login.begin(account)
  }
  const save = () => {
    const credentials = credentialRequest(credential, provider)
    const fault = credentials.login ? loginFaultOf(credential, provider) : undefined
    setFaults(fault === undefined ? {} : { login: fault })
    if (fault !== undefined) return
    const changes = {
      name: account.name,
      ...credentials,
      ...(model.trim() !== (account.model ?? "") && { model: model.trim() || null }),
      ...(reasoning.trim() !== (account.reasoning ?? "") && { reasoning: reasoning.trim() || null }),
      ...(reviews !== (account.role === "VERIFICATION") && ({ role: reviews ? "VERIFICATION" : "CODING" } as const)),
    }
    setFailure(null)
    change.mutate(changes, { onSuccess: () => mock.save().then(onClose, setFailure) })
  }
  return (
    <EntryDialog
      title={`Edit ${account.name}`}
      action="Save"
      change={change}
      blocked={mock.isWrong}
      onSubmit={save}
      onClose={onClose}
    >
      {login.dialog}
      <ErrorNotice error={failure} />
      {provider && (provider.needs_key || provider.login) && (
        <CredentialFields
          provider={provider}
          name={account.name}
          value={credential}
          onChange={(changed) => {
            setCredential(changed)
            setFaults({})
          }}
          label={account.has_key ? "New API key" : "API key"}
          faults={{ ...faults, ...login.faults }}
          onLogIn={logIn}
        />
      )}
      <Field
        label="Model"
        value={model}
        onChange={setModel}
        suggestions={models.data?.models ?? []}
        placeholder="Agent's choice"
        hint={hintOf(models)}
        verbatim
      />
      {provider?.supports_reasoning && (
        <Field
          label="Reasoning"
          value={reasoning}
          onChange={setReasoning}
          placeholder="Agent's choice"
          hint="Enter low, medium or high."
          verbatim
        />
      )}
      {account.provider === "mock" && <MockFields mock={mock} />}
      <Checkbox
        label="Default reviewer"
        hint="Reviews tasks with no assigned reviewer. Only one account can be the default."
        value={reviews}
        onChange={setReviews}
      />
    </EntryDialog>
  )
}

function hintOf({ data, error }: ReturnType<typeof useAgentModels>): string {
  if (error) return `Couldn't load models. ${error.message}`
  if (!data) return "Loading models…"
  const count = formatCount(data.models.length, "model")
  return data.complete ? `${count} available.` : `${count} available. You can enter other models.`
}
