import { useStudio } from "../../session/context/studio.ts"
import { Options, SelectField } from "../../ui/field.tsx"
import type { Agent, useAgents } from "./use-agents.ts"
import { agentOption } from "./use-agents.ts"

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
  trial: "For trying things out",
} satisfies Record<Agent["key"], string>

const link = "text-accent underline underline-offset-2"

export function AgentChoice({ agents: { agents, known, error, refetch }, chosen, onChoose, wrong }: Props) {
  const unread = error && !known
  const agent = agents.find(({ name }) => name === chosen)
  return (
    <SelectField
      label="Agent"
      value={chosen}
      onChange={onChoose}
      disabled={!known}
      wrong={wrong !== null}
      hint={<Note agent={agent} fault={wrong ?? (unread ? error.message : null)} onRetry={unread ? refetch : null} />}
      options={known && agent === undefined ? [["", "Choose an agent"]] : []}
      className="w-56 min-w-0 shrink-0 max-md:w-full"
    >
      <Groups agents={agents} />
    </SelectField>
  )
}

interface NoteProps {
  agent: Agent | undefined
  fault: string | null
  onRetry: (() => void) | null
}

function Note({ agent, fault, onRetry }: NoteProps) {
  const { browser } = useStudio()
  return (
    <>
      {fault && (
        <span role="alert" className="block text-err">
          {fault}
        </span>
      )}
      {onRetry && (
        <button type="button" onClick={onRetry} className={link}>
          Retry
        </button>
      )}
      {agent?.key === "none" ? (
        <>
          {!fault && `No API key for ${agent.label}. `}
          <button
            type="button"
            onClick={() => browser.setState({ dialog: "model-key", keyFor: agent.name })}
            className={link}
          >
            Add a key
          </button>
        </>
      ) : (
        !fault && agent?.note
      )}
    </>
  )
}

function Groups({ agents }: { agents: Agent[] }) {
  return Object.entries(groups).map(([key, title]) => {
    const inGroup = agents.filter((agent) => agent.key === key)
    if (inGroup.length === 0) return null
    return (
      <optgroup key={key} label={title}>
        <Options of={inGroup.map(agentOption)} />
      </optgroup>
    )
  })
}
