import { useId } from "react"
import { fieldClass } from "../../ui/field.tsx"
import type { Agent, useAgents } from "./use-agents.ts"

interface Props {
  agents: ReturnType<typeof useAgents>
  chosen: string
  onChoose(name: string): void
  wrong: string | null
}

/** Who does it. */
export function AgentChoice({ agents: { agents, known, error, refetch }, chosen, onChoose, wrong }: Props) {
  const id = useId()
  const unread = error && !known
  const fault = wrong ?? (unread ? error.message : null)
  const isAccount = agents.accounts.some(({ name }) => name === chosen)
  const hasAccounts = agents.accounts.length > 0
  return (
    <div className="w-56 min-w-0 shrink-0 max-md:w-full">
      <label htmlFor={id} className="mb-1 block text-sm font-semibold">
        Agent
      </label>
      <select
        id={id}
        value={chosen}
        disabled={!known}
        onChange={(event) => onChoose(event.target.value)}
        aria-invalid={wrong ? true : undefined}
        aria-describedby={`${id}-told`}
        className={`${fieldClass} h-9 pr-1 pl-2 max-md:h-11`}
      >
        {hasAccounts && (
          <optgroup label="Accounts">
            <Options of={agents.accounts} />
          </optgroup>
        )}
        {hasAccounts ? (
          <optgroup label="With the server's key">
            <Options of={agents.programs} />
          </optgroup>
        ) : (
          <Options of={agents.programs} />
        )}
      </select>
      <p
        id={`${id}-told`}
        role={fault ? "alert" : undefined}
        className={`mt-1 text-sm ${fault ? "text-err" : "text-ink-3"}`}
      >
        {fault ?? (known && (isAccount ? "On this account" : "With the server's own key"))}
      </p>
      {unread && (
        <button type="button" onClick={() => refetch()} className="min-h-6 text-sm text-accent underline">
          Retry
        </button>
      )}
    </div>
  )
}

function Options({ of }: { of: Agent[] }) {
  return of.map(({ name, told }) => (
    <option key={name} value={name}>
      {told}
    </option>
  ))
}
