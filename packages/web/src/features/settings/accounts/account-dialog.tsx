import { formatCount } from "@switchyard/core/format"
import type { AccountView } from "@switchyard/core/people/accounts/schema"
import { useId, useState } from "react"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { Field } from "../../../ui/field.tsx"
import { FormDialog } from "../../../ui/form-dialog.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { useAgentModels } from "../../home/use-agent-models.ts"
import type { AccountActions } from "./use-accounts.ts"

interface Props {
  account: AccountView
  change: AccountActions["change"]
  onClose(): void
}

/** The model of an account, among those that its agent can use, and whether the agent reviews others' work. */
export function AccountDialog({ account, change, onClose }: Props) {
  const id = useId()
  const models = useAgentModels(account.name)
  const [model, setModel] = useState(account.model ?? "")
  const [reviews, setReviews] = useState(account.role === "VERIFICATION")
  const save = () => {
    const changes = {
      name: account.name,
      ...(model.trim() !== (account.model ?? "") && { model: model.trim() || null }),
      ...(reviews !== (account.role === "VERIFICATION") && ({ role: reviews ? "VERIFICATION" : "CODING" } as const)),
    }
    change.mutate(changes, { onSuccess: onClose })
  }
  return (
    <FormDialog
      title={`Edit ${account.name}`}
      action="Save"
      blocked={change.isPending}
      onSubmit={save}
      onClose={onClose}
    >
      {change.error && <Notice tone="err">{change.error.message}</Notice>}
      <Field
        label="Model"
        value={model}
        onChange={({ target }) => setModel(target.value)}
        list={id}
        placeholder="Agent's choice"
        hint={hintOf(models)}
        spellCheck={false}
        autoComplete="off"
      />
      <datalist id={id}>
        {models.data?.models.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Checkbox
        label="Reviews others' work"
        hint="Where a task, a session or a repository names no reviewer. Takes the role from the account that has it."
        checked={reviews}
        onChange={setReviews}
      />
    </FormDialog>
  )
}

function hintOf({ data, error }: ReturnType<typeof useAgentModels>): string {
  if (error) return `Its models can't be listed. ${error.message}`
  if (!data) return "Loading its models…"
  const count = formatCount(data.models.length, "model")
  return data.complete ? `${count} to choose from.` : `${count} to choose from. Others can be typed.`
}
