import { NewAccount, type Provider } from "@switchyard/core/people/accounts/schema"
import { useState } from "react"
import { useToast } from "../../../session/context/studio.ts"
import { Field, formErrors, SelectField, useFields } from "../../../ui/field.tsx"
import { EntryDialog } from "../list/entry-dialog.tsx"
import { accountRequest, blankAccount } from "./account-form.ts"
import { AGREE_FIRST, CredentialFields, loginFaultOf } from "./credential-fields.tsx"
import type { AccountActions } from "./use-accounts.ts"
import { useLoginTerminal } from "./use-login-terminal.tsx"

interface Props {
  providers: Provider[]
  create: AccountActions["create"]
  onClose(): void
}

/** Form for a new account. Its key is sent to the server once, and never returned. */
export function NewAccountForm({ providers, create, onClose }: Props) {
  const toast = useToast()
  const [type, setType] = useState(providers[0]?.type ?? "claude")
  const { form: filled, edit, field, faults, setFaults } = useFields(blankAccount)
  const provider = providers.find((one) => one.type === type)

  const submit = () => {
    const parsed = NewAccount.safeParse({ provider: type, ...accountRequest(filled, provider) })
    const login = loginFaultOf(filled.credential, provider)
    setFaults({ ...(!parsed.success && formErrors(parsed.error)), ...(login !== undefined && { login }) })
    if (!parsed.success || login !== undefined) return
    create.mutate(parsed.data, {
      onSuccess: ({ name }) => {
        toast(`Saved ${name}.`, "ok")
        onClose()
      },
    })
  }

  const login = useLoginTerminal(onClose)
  const logIn = () => {
    const { consent } = filled.credential
    setFaults(consent ? {} : { login: AGREE_FIRST })
    if (consent) login.begin({ name: filled.name.trim(), provider: type })
  }

  return (
    <EntryDialog
      title="Add an account"
      action="Save"
      change={create}
      blocked={filled.name.trim() === ""}
      onSubmit={submit}
      onClose={onClose}
    >
      <SelectField
        label="Agent"
        hint={provider?.description}
        value={type}
        options={providers.map((one) => [one.type, one.name])}
        onChange={(other) => {
          setType(providers.find((one) => one.type === other)?.type ?? type)
          // A login and its terms belong to one agent, so they are cleared.
          edit({ credential: { ...filled.credential, files: {}, consent: false } })
        }}
      />
      <Field label="Name" hint="Shown when you choose an account." placeholder="work" {...field("name")} verbatim />
      {provider && (provider.needs_key || provider.login) && (
        <CredentialFields
          provider={provider}
          name={filled.name}
          value={filled.credential}
          onChange={(credential) => {
            edit({ credential })
            setFaults({})
          }}
          label="API key"
          faults={{ ...faults, ...login.faults }}
          onLogIn={logIn}
        />
      )}
      <Field label="Model" hint="Optional. Defaults to the agent's choice." {...field("model")} verbatim />
      {provider?.supports_reasoning && (
        <Field label="Reasoning" hint="Enter low, medium or high." {...field("reasoning")} verbatim />
      )}
      {provider?.needs_key && (
        <Field
          label="API base URL"
          hint="Optional. Defaults to the provider's URL."
          placeholder="https://"
          inputMode="url"
          {...field("base_url")}
          verbatim
        />
      )}
      {login.dialog}
    </EntryDialog>
  )
}
