import { type CreatedToken, NewToken, Scope } from "@switchyard/core/people/access/schema"
import { type FormEvent, useEffect, useRef, useState } from "react"
import { Button } from "../../../ui/button.tsx"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { Field, formErrors, SelectField, useFields } from "../../../ui/field.tsx"
import { Check, Copy } from "../../../ui/icons.tsx"
import { useCopy } from "../../../ui/use-copy.ts"
import type { useTokens } from "./use-tokens.ts"

const scopes = {
  read: "View the owner's sessions",
  run: "Start runs and make changes",
  admin: "Manage everyone's tokens",
} satisfies Record<Scope, string>

const blank = { name: "", owner: "", days: "90" }

export function NewTokenForm({ create }: { create: ReturnType<typeof useTokens>["create"] }) {
  const { form, edit, field, faults, setFaults } = useFields(blank)
  const [chosen, setChosen] = useState<Scope[]>(["read", "run"])
  const [made, setMade] = useState<CreatedToken | null>(null)

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const parsed = NewToken.safeParse({
      name: form.name,
      owner: form.owner.trim() || null,
      scopes: chosen,
      expires_in_days: Number(form.days) || null,
    })
    setFaults(parsed.success ? {} : formErrors(parsed.error))
    if (!parsed.success) return
    create.mutate(parsed.data, {
      onSuccess: (token) => {
        setMade(token)
        edit({ name: "", owner: "" })
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
          maxLength={100}
          placeholder="laptop"
          {...field("name")}
          error={faults.name ?? create.error?.message}
        />
        <Field
          label="Owner"
          hint="Whose sessions it can access. Defaults to you."
          maxLength={64}
          {...field("owner")}
          verbatim
        />
        <Scopes chosen={chosen} onChange={setChosen} />
        <SelectField
          label="Expires"
          options={[
            ["7", "in 7 days"],
            ["30", "in 30 days"],
            ["90", "in 90 days"],
            ["365", "in a year"],
            ["0", "never"],
          ]}
          {...field("days")}
        />
      </div>
      <Button
        type="submit"
        tone="primary"
        className="mt-4"
        disabled={create.isPending || form.name.trim() === "" || chosen.length === 0}
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
          value={chosen.includes(scope)}
          onChange={(has) => onChange(Scope.options.filter((one) => (one === scope ? has : chosen.includes(one))))}
        />
      ))}
      <p className="mt-1 text-sm text-ink-3">Scopes are independent.</p>
    </fieldset>
  )
}

/** The secret of a new token, which is shown only once. */
function TokenReveal({ token, onDone }: { token: CreatedToken; onDone(): void }) {
  const { copied, copy } = useCopy(token.secret)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section aria-labelledby="secret-once" className="border-l-4 border-need bg-need-bg px-4 py-4">
      <h2 id="secret-once" ref={heading} tabIndex={-1} className="text-lg">
        Token for {token.name}
      </h2>
      <p className="mt-1 mb-3 text-sm">Copy it now: it won't be shown again.</p>
      <code className="block rounded-md border border-strong bg-sheet px-3 py-2 font-mono text-sm break-all select-all">
        {token.secret}
      </code>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button onClick={copy}>
          {copied === "yes" ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />} Copy
        </Button>
        <Button onClick={onDone}>Done</Button>
        <span role="status" className="text-sm">
          {copied === "yes" && "Copied."}
          {copied === "no" && "The browser blocked copying. Select it and copy it yourself."}
        </span>
      </div>
    </section>
  )
}
