import { IconButton } from "../../ui/button.tsx"
import { Field, type Option, SelectField } from "../../ui/field.tsx"
import { X } from "../../ui/icons.tsx"
import { useAgentModels } from "./use-agent-models.ts"
import type { Agent } from "./use-agents.ts"
import { agentOption } from "./use-agents.ts"

export interface EntrantForm {
  key: number
  /** An account or an agent program; empty until one is chosen. */
  agent: string
  /** Empty for the agent's own choice. */
  model: string
}

interface Props {
  number: number
  entrant: EntrantForm
  agents: Agent[]
  onChange(entrant: EntrantForm): void
  /** Null if there can't be fewer agents. */
  onRemove: (() => void) | null
}

const NONE: Option = ["", "Choose an agent"]

/** One agent of a comparison, and its model. */
export function EntrantFields({ number, entrant, agents, onChange, onRemove }: Props) {
  const isAccount = agents.some(({ name, key }) => name === entrant.agent && key === "account")
  const models = useAgentModels(isAccount ? entrant.agent : null)
  return (
    <fieldset className="flex items-end gap-3">
      <legend className="unseen">Agent {number}</legend>
      <SelectField
        label="Agent"
        value={entrant.agent}
        onChange={(agent) => onChange({ ...entrant, agent, model: "" })}
        options={[...(entrant.agent === "" ? [NONE] : []), ...agents.map(agentOption)]}
        className="min-w-0 flex-1"
      />
      <Field
        label="Model"
        value={entrant.model}
        onChange={(model) => onChange({ ...entrant, model })}
        suggestions={models.data?.models ?? []}
        placeholder="Agent's choice"
        className="min-w-0 flex-1"
        verbatim
      />
      {onRemove && (
        <IconButton label={`Remove agent ${number}`} onClick={onRemove}>
          <X size={16} aria-hidden />
        </IconButton>
      )}
    </fieldset>
  )
}
