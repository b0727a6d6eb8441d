import { type CreatedToken, NewToken, Scope } from "@switchyard/core/people/access/schema"
import { type FormEvent, useId, useState } from "react"
import { Button } from "../../../ui/button.tsx"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { Field, fieldClass } from "../../../ui/field.tsx"
import { formErrors } from "../../../ui/form-errors.ts"
import { TokenReveal } from "./token-reveal.tsx"
import type { useTokens } from "./use-tokens.ts"

const scopes = {
  read: "View the owner's sessions",
  run: "Start runs and make changes",
  admin: "Manage everyone's tokens",
} satisfies Record<Scope, string>

const expiries = { 7: "in 7 days", 30: "in 30 days", 90: "in 90 days", 365: "in a year", 0: "never" }

export function NewTokenForm({ create }: { create: ReturnType<typeof useTokens>["create"] }) {
  const [name, setName] = useState("")
  const [owner, setOwner] = useState("")
  const [chosen, setChosen] = useState<Scope[]>(["read", "run"])
  const [days, setDays] = useState(90)
  const [made, setMade] = useState<CreatedToken | null>(null)

  const [faults, setFaults] = useState<Partial<Record<string, string>>>({})

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const parsed = NewToken.safeParse({
      name,
      owner: owner.trim() || null,
      scopes: chosen,
      expires_in_days: days || null,
    })
    setFaults(parsed.success ? {} : formErrors(parsed.error))
    if (!parsed.success) return
    create.mutate(parsed.data, {
      onSuccess: (token) => {
        setMade(token)
        setName("")
        setOwner("")
      },
    })
  }

  if (made) return <TokenReveal token={made} onDone={() => setMade(null)} />
  return (
    <form onSubmit={submit} noValidate>
      <h2 className="mb-3 text-lg">New token</h2>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Name"
          hint="Where it's used, so you know which one to revoke."
          value={name}
          maxLength={100}
          onChange={(event) => setName(event.target.value)}
          placeholder="laptop"
          error={faults.name ?? create.error?.message}
        />
        <Field
          label="Owner"
          hint="Whose sessions it can access. Defaults to you."
          value={owner}
          autoCapitalize="off"
          spellCheck={false}
          maxLength={64}
          error={faults.owner}
          onChange={(event) => setOwner(event.target.value)}
        />
        <Scopes chosen={chosen} onChange={setChosen} />
        <Expiry days={days} onChange={setDays} />
      </div>
      <Button
        type="submit"
        tone="primary"
        className="mt-4"
        disabled={create.isPending || name.trim() === "" || chosen.length === 0}
      >
        Create token
      </Button>
    </form>
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
            <span className="text-sm">
              <span className="font-semibold">{scope}</span> <span className="text-ink-2">{scopes[scope]}</span>
            </span>
          }
          checked={chosen.includes(scope)}
          onChange={(has) => onChange(Scope.options.filter((one) => (one === scope ? has : chosen.includes(one))))}
        />
      ))}
      <p className="mt-1 text-sm text-ink-3">Scopes are independent.</p>
    </fieldset>
  )
}

function Expiry({ days, onChange }: { days: number; onChange(days: number): void }) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-semibold">
        Expires
      </label>
      <select
        id={id}
        value={days}
        onChange={(event) => onChange(Number(event.target.value))}
        className={`${fieldClass} h-9 max-md:h-11`}
      >
        {[7, 30, 90, 365, 0].map((count) => (
          <option key={count} value={count}>
            {expiries[count as keyof typeof expiries]}
          </option>
        ))}
      </select>
    </div>
  )
}
