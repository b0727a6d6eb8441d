import { useState } from "react"
import { errorText } from "../../../api/error-text.ts"
import { Field } from "../../../ui/field.tsx"
import { FormDialog } from "../../../ui/form-dialog.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { useBoardChanges } from "../data/use-board-changes.ts"

/** Adds a worker to a team, with the team's model. */
export function AddWorkerDialog({ teamId, onClose }: { teamId: string; onClose(): void }) {
  const [name, setName] = useState("")
  const [role, setRole] = useState("")
  const change = useBoardChanges(teamId)
  return (
    <FormDialog
      title="Add a worker"
      action="Add"
      blocked={name.trim() === "" || role.trim() === "" || change.isPending}
      onSubmit={() => change.mutate({ do: "add a worker", body: { name, role } }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Field
        label="Name"
        maxLength={40}
        autoComplete="off"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Field
        label="What for"
        hint="It has the team's model."
        maxLength={500}
        autoComplete="off"
        value={role}
        onChange={({ target }) => setRole(target.value)}
      />
      {change.error && <Notice tone="err">{errorText(change.error)}</Notice>}
    </FormDialog>
  )
}
