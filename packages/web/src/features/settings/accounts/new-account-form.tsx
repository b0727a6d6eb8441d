import { NewAccount, type Provider } from "@switchyard/core/people/accounts/schema"
import { type FormEvent, useId, useState } from "react"
import { useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { Field, fieldClass } from "../../../ui/field.tsx"
import { formErrors } from "../../../ui/form-errors.ts"
import { Notice } from "../../../ui/notice.tsx"
import { type AccountForm, accountRequest, blankAccount } from "./account-form.ts"
import { AGREE_FIRST, CredentialFields, loginFaultOf } from "./credential-fields.tsx"
import type { AccountActions } from "./use-accounts.ts"
import { useLoginTerminal } from "./use-login-terminal.tsx"

/** A form for a new account. Its key is sent to the server once, and never returned. */
export function NewAccountForm({ providers, create }: { providers: Provider[]; create: AccountActions["create"] }) {
  const toast = useToast()
  const [type, setType] = useState(providers[0]?.type ?? "claude")
  const [filled, setFilled] = useState(blankAccount)
  const [faults, setFaults] = useState<Partial<Record<string, string>>>({})
  const provider = providers.find((one) => one.type === type)
  const field = (name: Exclude<keyof AccountForm, "credential">) => ({
    value: filled[name],
    error: faults[name],
    onChange: (event: { target: { value: string } }) => setFilled({ ...filled, [name]: event.target.value }),
  })

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const parsed = NewAccount.safeParse({ provider: type, ...accountRequest(filled, provider) })
    const login = loginFaultOf(filled.credential, provider)
    setFaults({ ...(!parsed.success && formErrors(parsed.error)), ...(login !== undefined && { login }) })
    if (!parsed.success || login !== undefined || create.isPending) return
    create.mutate(parsed.data, {
      onSuccess: ({ name }) => {
        setFilled(blankAccount)
        toast(`Saved ${name}.`, "ok")
      },
    })
  }

  const login = useLoginTerminal(() => setFilled(blankAccount))
  const logIn = () => {
    const { consent } = filled.credential
    setFaults(consent ? {} : { login: AGREE_FIRST })
    if (consent) login.begin({ name: filled.name.trim(), provider: type })
  }

  return (
    <form onSubmit={submit} noValidate aria-labelledby="new-account">
      <h2 id="new-account" className="mb-3 text-lg">
        New account
      </h2>
      {create.error && (
        <Notice tone="err" className="mb-4">
          {create.error.message}
        </Notice>
      )}
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <AgentField
          providers={providers}
          type={type}
          onChange={(other) => {
            setType(other)
            // A log-in is one agent's, and so are the terms.
            setFilled({ ...filled, credential: { ...filled.credential, files: {}, consent: false } })
          }}
        />
        <Field
          label="Name"
          hint="Used to select this account."
          placeholder="work"
          autoCapitalize="off"
          spellCheck={false}
          {...field("name")}
        />
        {provider && (provider.needs_key || provider.login) && (
          <div className="sm:col-span-2">
            <CredentialFields
              provider={provider}
              name={filled.name}
              value={filled.credential}
              onChange={(credential) => {
                setFilled({ ...filled, credential })
                setFaults({})
              }}
              label="API key"
              faults={{ ...faults, ...login.faults }}
              onLogIn={logIn}
            />
          </div>
        )}
        <Field label="Model" hint="Optional. Defaults to the agent's choice." spellCheck={false} {...field("model")} />
        {provider?.supports_reasoning && (
          <Field
            label="Reasoning"
            hint="Effort level: low, medium or high."
            spellCheck={false}
            {...field("reasoning")}
          />
        )}
        {provider?.needs_key && (
          <Field
            label="API base URL"
            hint="Optional. Defaults to the provider's URL."
            placeholder="https://"
            inputMode="url"
            spellCheck={false}
            {...field("base_url")}
          />
        )}
      </div>
      {login.dialog}
      <Button type="submit" tone="primary" className="mt-4" disabled={create.isPending || filled.name.trim() === ""}>
        {create.isPending ? "Saving" : "Save account"}
      </Button>
    </form>
  )
}

interface AgentProps {
  providers: Provider[]
  type: Provider["type"]
  onChange(type: Provider["type"]): void
}

function AgentField({ providers, type, onChange }: AgentProps) {
  const id = useId()
  const provider = providers.find((one) => one.type === type)
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-semibold">
        Agent
      </label>
      <select
        id={id}
        value={type}
        aria-describedby={`${id}-note`}
        onChange={(event) => onChange(providers.find((one) => one.type === event.target.value)?.type ?? type)}
        className={`${fieldClass} h-9 max-md:h-11`}
      >
        {providers.map((one) => (
          <option key={one.type} value={one.type}>
            {one.name}
          </option>
        ))}
      </select>
      <p id={`${id}-note`} className="mt-1 text-sm text-ink-3">
        {provider?.description}
      </p>
    </div>
  )
}
