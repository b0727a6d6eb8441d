import { NO_REVIEWER } from "@switchyard/core/work/verification/review-schema"
import { type Option, SelectField } from "../../ui/field.tsx"
import { agentOption, useAgents } from "./use-agents.ts"

interface Props {
  /** An account, an agent program, `NO_REVIEWER`, or empty to use wider settings. */
  value: string
  onChange(value: string): void
  /** Label for the empty choice; null if there are no wider settings. */
  inherited: string | null
  className?: string
}

/** Selects the agent that reviews work once its checks have passed. */
export function ReviewerChoice({ value, onChange, inherited, className }: Props) {
  const { agents } = useAgents()
  const able = agents.filter(({ key, name }) => key === "account" || key === "server" || name === value)
  const isGone = value !== "" && value !== NO_REVIEWER && !able.some(({ name }) => name === value)
  const options: Option[] = [
    ...(inherited === null ? [] : [["", inherited] as const]),
    [NO_REVIEWER, "None"],
    ...(isGone ? [value] : []),
    ...able.map(agentOption),
  ]
  return (
    <SelectField
      label="Reviewer"
      hint="A second agent reviews the changes but can't edit files. If it finds problems, the attempt fails."
      value={value}
      onChange={onChange}
      options={options}
      className={className}
    />
  )
}
