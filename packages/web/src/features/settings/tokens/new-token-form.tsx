import { NewToken, Scope } from "@switchyard/core/people/access/schema"
import { useState } from "react"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { Field, formErrors, SelectField, useFields } from "../../../ui/field.tsx"
import { EntryDialog } from "../list/entry-dialog.tsx"
import { SecretsDialog } from "../list/secrets-dialog.tsx"
import type { useTokens } from "./use-tokens.ts"

const scopes = {
  read: "View the owner's sessions",
  run: "Start runs and make changes",
  admin: "Manage everyone's access tokens",
} satisfies Record<Scope, string>

const EXPIRIES = [
  ["7", "In 7 days"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
  ["0", "Never"],
] as const

const blank = { name: "", owner: "", days: "90" }

interface Props {
  create: ReturnType<typeof useTokens>["create"]
  onClose(): void
}

/** Form for a new access token, which is shown afterwards. */
export function NewTokenForm({ create, onClose }: Props) {
  const { form, field, setFaults } = useFields(blank)
  const [chosen, setChosen] = useState<Scope[]>(["read", "run"])

  const submit = () => {
    const parsed = NewToken.safeParse({
      name: form.name,
      owner: form.owner.trim() || null,
      scopes: chosen,
      expires_in_days: Number(form.days) || null,
    })
    setFaults(parsed.success ? {} : formErrors(parsed.error))
    if (parsed.success) create.mutate(parsed.data)
  }

  if (create.data) {
    const { name, secret } = create.data
    return (
      <SecretsDialog title={`Access token ${name}`} secrets={{ Token: secret }} change={create} onClose={onClose}>
        Copy it now. It won't be shown again.
      </SecretsDialog>
    )
  }
  return (
    <EntryDialog
      title="Create an access token"
      action="Create"
      change={create}
      blocked={form.name.trim() === "" || chosen.length === 0}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Name"
        hint="Enter where you'll use the token, so you know which one to revoke."
        maxLength={100}
        placeholder="laptop"
        {...field("name")}
      />
      <Field
        label="Owner"
        hint="The token can access this user's sessions. Defaults to you."
        maxLength={64}
        {...field("owner")}
        verbatim
      />
      <Scopes chosen={chosen} onChange={setChosen} />
      <SelectField label="Expires" options={EXPIRIES} {...field("days")} />
    </EntryDialog>
  )
}

function Scopes({ chosen, onChange }: { chosen: Scope[]; onChange(chosen: Scope[]): void }) {
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-semibold">Permissions</legend>
      {Scope.options.map((scope) => (
        <Checkbox
          key={scope}
          label={
            <>
              <span className="font-semibold">{scope}</span> <span className="text-sm text-ink-2">{scopes[scope]}</span>
            </>
          }
          value={chosen.includes(scope)}
          onChange={(has) => onChange(Scope.options.filter((one) => (one === scope ? has : chosen.includes(one))))}
        />
      ))}
      <p className="mt-1 text-sm text-ink-3">Select each permission the token needs.</p>
    </fieldset>
  )
}
