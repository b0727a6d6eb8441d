import type { Board } from "@switchyard/core/work/teams/request-schema"
import { useState } from "react"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { FormDialog } from "../../../ui/dialog.tsx"
import { Field, TextArea, useFields } from "../../../ui/field.tsx"
import { ErrorNotice } from "../../../ui/notice.tsx"
import { BudgetFields } from "../../usage/budget-fields.tsx"
import { blankBudget, budgetIn, requestedBudget } from "../../usage/budget-form.ts"
import { useBoardChanges } from "../data/use-board-changes.ts"

export function AddNodeDialog({ board: { team, nodes }, onClose }: { board: Board; onClose(): void }) {
  const { form, field } = useFields({ task: "", id: "", limits: blankBudget })
  const [dependencies, setDependencies] = useState<string[]>([])
  const change = useBoardChanges(team.id)
  const { task, id, limits } = form
  const budget = requestedBudget(limits)
  const body = { task, dependencies, ...(id.trim() !== "" && { id: id.trim() }), ...(budget && { budget }) }
  return (
    <FormDialog
      title="Add node"
      action="Add"
      blocked={task.trim() === "" || change.isPending || "faults" in budgetIn(limits)}
      onSubmit={() => change.mutate({ do: "add a node", body }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextArea label="Task" rows={4} maxLength={20_000} {...field("task")} />
      <Field
        label="Name"
        hint="Optional. Use lowercase letters, digits and hyphens."
        maxLength={40}
        {...field("id")}
        verbatim
      />
      {nodes.length > 0 && (
        <fieldset>
          <legend className="mb-1 text-sm font-semibold">Start after</legend>
          <div className="max-h-40 overflow-y-auto">
            {nodes.map((node) => (
              <Checkbox
                key={node.id}
                label={node.id}
                value={dependencies.includes(node.id)}
                onChange={(isOn) =>
                  setDependencies(isOn ? [...dependencies, node.id] : dependencies.filter((one) => one !== node.id))
                }
              />
            ))}
          </div>
        </fieldset>
      )}
      <fieldset>
        <legend className="mb-1 text-sm font-semibold">Budget</legend>
        <BudgetFields {...field("limits")} model={team.coordinator === null ? team.model : undefined} />
      </fieldset>
      <ErrorNotice error={change.error} />
    </FormDialog>
  )
}
