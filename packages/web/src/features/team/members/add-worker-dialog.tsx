import { formatCount } from "@switchyard/core/text/format"
import type { Board } from "@switchyard/core/work/teams/request-schema"
import { FormDialog } from "../../../ui/dialog.tsx"
import { Field, SelectField, useFields } from "../../../ui/field.tsx"
import { ErrorNotice } from "../../../ui/notice.tsx"
import { useBoardChanges } from "../data/use-board-changes.ts"

/** Adds a worker to a team, using the team's model or one of its commands. */
export function AddWorkerDialog({
  board: { team, worker_commands: commands },
  onClose,
}: {
  board: Board
  onClose(): void
}) {
  const { form, field } = useFields({ name: "", role: "", command: "" })
  const { name, role, command } = form
  const change = useBoardChanges(team.id)
  const chosen = commands.find((one) => one.name === command)
  const body = { name, role, ...(chosen && { command }) }
  return (
    <FormDialog
      title="Add worker"
      action="Add"
      blocked={name.trim() === "" || role.trim() === "" || change.isPending}
      onSubmit={() => change.mutate({ do: "add a worker", body }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Field label="Name" maxLength={40} {...field("name")} verbatim />
      <Field
        label="Role"
        hint={chosen ? limitsText(chosen) : "Uses the team's model."}
        maxLength={500}
        {...field("role")}
        autoComplete="off"
      />
      {commands.length > 0 && (
        <SelectField
          label="Type"
          {...field("command")}
          options={[["", "Model"], ...commands.map((one) => [one.name, `${one.name}: ${one.command}`] as const)]}
        />
      )}
      <ErrorNotice error={change.error} />
    </FormDialog>
  )
}

function limitsText({ timeout_seconds, network }: Board["worker_commands"][number]): string {
  const minutes = formatCount(Math.ceil(timeout_seconds / 60), "minute")
  return `Runs for up to ${minutes}, ${network ? "with access to the allowed hosts" : "without network access"}.`
}
