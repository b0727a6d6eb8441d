import { useState } from "react"
import { useLocation } from "wouter"
import { errorText } from "../../api/error-text.ts"
import { paths } from "../../session/context/routes.ts"
import { Field } from "../../ui/field.tsx"
import { FormDialog } from "../../ui/form-dialog.tsx"
import { useAgentActions } from "./use-agent-actions.ts"

interface Props {
  sessionId: string
  agentId: string
  name: string
  onClose(): void
}

export function RenameAgentDialog({ sessionId, agentId, name, onClose }: Props) {
  const { change } = useAgentActions(sessionId)
  const [, go] = useLocation()
  const [next, setNext] = useState(name)
  const [error, setError] = useState<string | null>(null)
  const submit = async () => {
    try {
      await change(agentId, { name: next.trim() })
      go(paths.agent(sessionId, next.trim()), { replace: true })
      onClose()
    } catch (failure) {
      setError(errorText(failure))
    }
  }
  return (
    <FormDialog
      title={`Rename ${name}`}
      action="Rename"
      blocked={next.trim() === ""}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Name"
        value={next}
        error={error}
        maxLength={64}
        onChange={({ target }) => {
          setNext(target.value)
          setError(null)
        }}
      />
    </FormDialog>
  )
}
