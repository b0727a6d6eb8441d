import { useId } from "react"
import { IconButton } from "../../ui/button.tsx"
import { Field } from "../../ui/field.tsx"
import { X } from "../../ui/icons.tsx"
import { SelectField } from "../../ui/select-field.tsx"
import { useAgentModels } from "./use-agent-models.ts"
import type { Agent } from "./use-agents.ts"

export interface EntrantForm {
  key: number
  /** An account or an agent's program; empty until one is chosen. */
  agent: string
  /** Empty for the agent's own choice. */
  model: string
}

interface Props {
  number: number
  entrant: EntrantForm
  agents: Agent[]
  onChange(entrant: EntrantForm): void
  /** Null where there have to be as many. */
  onRemove: (() => void) | null
}

/** One entrant of a bake-off: an agent, and its model. */
export function EntrantFields({ number, entrant, agents, onChange, onRemove }: Props) {
  const id = useId()
  const isAccount = agents.some(({ name, key }) => name === entrant.agent && key === "account")
  const models = useAgentModels(isAccount ? entrant.agent : null)
  return (
    <fieldset className="flex items-end gap-3">
      <legend className="unseen">Entrant {number}</legend>
      <SelectField
        label="Agent"
        value={entrant.agent}
        onChange={(agent) => onChange({ ...entrant, agent, model: "" })}
        className="min-w-0 flex-1"
      >
        {entrant.agent === "" && <option value="">Choose an agent</option>}
        {agents.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </SelectField>
      <Field
        label="Model"
        value={entrant.model}
        onChange={({ target }) => onChange({ ...entrant, model: target.value })}
        list={id}
        placeholder="Agent's choice"
        spellCheck={false}
        autoComplete="off"
        className="min-w-0 flex-1"
      />
      <datalist id={id}>
        {models.data?.models.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
      {onRemove && (
        <IconButton label={`Remove entrant ${number}`} onClick={onRemove}>
          <X size={16} aria-hidden />
        </IconButton>
      )}
    </fieldset>
  )
}
