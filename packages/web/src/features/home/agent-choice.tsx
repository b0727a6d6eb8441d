import { useId } from "react"
import { Link } from "wouter"
import { paths } from "../../session/context/routes.ts"
import { fieldClass } from "../../ui/field.tsx"
import type { Agent, useAgents } from "./use-agents.ts"

interface Props {
  agents: ReturnType<typeof useAgents>
  chosen: string
  onChoose(name: string): void
  wrong: string | null
}

const groups = {
  account: "Accounts",
  server: "Server credentials",
  none: "No key yet",
  trial: "For trying out",
} satisfies Record<Agent["key"], string>

const link = "text-accent underline underline-offset-2"

/** Selects the agent. */
export function AgentChoice({ agents: { agents, known, error, refetch }, chosen, onChoose, wrong }: Props) {
  const id = useId()
  const unread = error && !known
  const fault = wrong ?? (unread ? error.message : null)
  const agent = agents.find(({ name }) => name === chosen)
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
        aria-describedby={`${id}-note`}
        className={`${fieldClass} h-9 pr-1 pl-2 max-md:h-11`}
      >
        {known && agent === undefined && <option value="">Choose an agent</option>}
        <Groups agents={agents} />
      </select>
      <p id={`${id}-note`} className="mt-1 text-sm text-ink-3">
        {fault && (
          <span role="alert" className="block text-err">
            {fault}
          </span>
        )}
        {unread && (
          <button type="button" onClick={() => refetch()} className={link}>
            Retry
          </button>
        )}
        {agent?.key === "none" ? (
          <>
            {!fault && "No key yet. "}
            <Link href={paths.settings("accounts")} className={link}>
              Add an account
            </Link>
          </>
        ) : (
          !fault && agent?.note
        )}
      </p>
    </div>
  )
}

function Groups({ agents }: { agents: Agent[] }) {
  return Object.entries(groups).map(([key, title]) => {
    const inGroup = agents.filter((agent) => agent.key === key)
    if (inGroup.length === 0) return null
    return (
      <optgroup key={key} label={title}>
        {inGroup.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </optgroup>
    )
  })
}
