import type { DiffSummary } from "@switchyard/core/files/worktrees/diff-schema"
import type { WorktreeStatus } from "@switchyard/core/files/worktrees/schema"
import { formatCount } from "@switchyard/core/text/format"
import type { ReactNode } from "react"
import { useToast } from "../../../session/context/studio.ts"
import { ConfirmDialog, FormDialog } from "../../../ui/dialog.tsx"
import { Field, SelectField, useFields } from "../../../ui/field.tsx"
import { Refusal } from "../worktree/refusal.tsx"
import { useWorktreeActions, type WorktreeActions } from "../worktree/use-worktree.ts"
import { useBranches } from "./merge-dialog.tsx"

interface Props {
  onClose(): void
}

/** Pushes a branch to a remote. */
export function PushDialog({ status, onClose }: Props & { status: WorktreeStatus }) {
  const toast = useToast()
  const { push } = useWorktreeActions()
  const { form, field } = useFields({ branch: status.target_branch ?? "", remote: "origin" })
  const { branch, remote } = form
  const branches = useBranches(branch)

  function submit(): void {
    push.mutate(
      { branch: branch || undefined, remote: remote.trim() },
      {
        onSuccess: (result) => {
          toast(`Pushed ${result.branch} to ${result.remote}.`, "ok")
          onClose()
        },
      },
    )
  }

  return (
    <FormDialog
      title="Push branch"
      action={push.isPending ? "Pushing…" : "Push"}
      blocked={push.isPending || remote.trim() === ""}
      onSubmit={submit}
      onClose={onClose}
    >
      {push.error && <Refusal error={push.error} />}
      <SelectField label="Branch" options={branches.options} {...field("branch")} />
      <Field label="Remote" {...field("remote")} />
      {status.has_changes && <p className="text-sm text-ink-3">Only changes merged into this branch will be pushed.</p>}
    </FormDialog>
  )
}

const KEPT = "You can recover unmerged changes until the session expires. Files ignored by Git will be lost."

export function ResetDialog({ diff, onClose }: Props & { diff: DiffSummary | undefined }) {
  const { reset } = useWorktreeActions()
  return (
    <Confirmed title="Reset worktree?" action="Reset" act={reset} onClose={onClose}>
      <p>
        {diff && diff.files_changed > 0
          ? `All committed and uncommitted changes in ${formatCount(diff.files_changed, "file")} will be undone. `
          : "All committed and uncommitted changes will be undone. "}
        The worktree will return to its starting point. {KEPT}
      </p>
    </Confirmed>
  )
}

export function DeleteDialog({ status, onClose }: Props & { status: WorktreeStatus }) {
  const { remove } = useWorktreeActions()
  return (
    <Confirmed title="Delete worktree?" action="Delete" act={remove} onClose={onClose}>
      <p>
        The worktree and its branch <code className="font-mono text-xs break-all">{status.branch}</code> will be
        deleted.
      </p>
      {status.has_changes && <p className="mt-2">{KEPT}</p>}
    </Confirmed>
  )
}

interface ConfirmedProps extends Pick<Props, "onClose"> {
  title: string
  action: string
  act: WorktreeActions["reset"] | WorktreeActions["remove"]
  children: ReactNode
}

/** Confirms and runs an action that discards changes, then shows the server's message. */
function Confirmed({ title, action, act, onClose, children }: ConfirmedProps) {
  const toast = useToast()
  const onSuccess = ({ message }: { message: string }) => {
    toast(message)
    onClose()
  }
  return (
    <ConfirmDialog
      title={title}
      action={action}
      busy={act.isPending}
      failure={act.error && <Refusal error={act.error} className="mb-3" />}
      onConfirm={() => act.mutate(undefined, { onSuccess })}
      onClose={onClose}
    >
      {children}
    </ConfirmDialog>
  )
}
