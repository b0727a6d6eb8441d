import { Field } from "../../ui/field.tsx"
import { useAgentModels } from "./use-agent-models.ts"
import { useAgents } from "./use-agents.ts"

interface Props {
  /** An account, or an agent program. */
  reviewer: string
  value: string
  onChange(value: string): void
  error?: string | null | undefined
  className?: string
}

/** Field for the reviewing agent's model, which suggests its account's models. */
export function ReviewerModelField({ reviewer, value, onChange, error, className }: Props) {
  const { agents } = useAgents()
  const isAccount = agents.some(({ name, key }) => name === reviewer && key === "account")
  const models = useAgentModels(isAccount ? reviewer : null)
  return (
    <Field
      label="Reviewer's model"
      value={value}
      error={error}
      onChange={onChange}
      placeholder="Agent's choice"
      suggestions={models.data?.models ?? []}
      className={className}
      verbatim
    />
  )
}
