import type { PullRequest } from "@switchyard/core/files/worktrees/pull-request-schema"
import type { WorktreeStatus } from "@switchyard/core/files/worktrees/schema"
import { Button } from "../../../ui/button.tsx"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { Dialog, FormDialog } from "../../../ui/dialog.tsx"
import { Field, useFields } from "../../../ui/field.tsx"
import { Refusal } from "../worktree/refusal.tsx"
import { useWorktreeActions } from "../worktree/use-worktree.ts"

/** Opens a pull request for the worktree's branch, or updates the open one. */
export function PullRequestDialog({ status, onClose }: { status: WorktreeStatus; onClose(): void }) {
  const { openPullRequest } = useWorktreeActions()
  const { form, field } = useFields({ title: "", draft: false })
  if (openPullRequest.data) return <Opened opened={openPullRequest.data} onClose={onClose} />
  return (
    <FormDialog
      title="Open pull request"
      action={openPullRequest.isPending ? "Opening…" : "Open"}
      blocked={openPullRequest.isPending}
      onSubmit={() => openPullRequest.mutate({ ...form, title: form.title.trim() || undefined })}
      onClose={onClose}
    >
      {openPullRequest.error && <Refusal error={openPullRequest.error} />}
      <p className="text-ink-2">
        This will push <code className="font-mono text-xs break-all">{status.branch}</code> and open a pull request
        {status.target_branch && (
          <>
            {" into "}
            <code className="font-mono text-xs break-all">{status.target_branch}</code>
          </>
        )}
        , or update the one that's already open. The description lists the task, result and checks.
      </p>
      <Field
        label="Title"
        hint="Optional. Defaults to the first line of the task."
        maxLength={200}
        {...field("title")}
      />
      <Checkbox label="Draft" {...field("draft")} />
    </FormDialog>
  )
}

function Opened({ opened, onClose }: { opened: PullRequest; onClose(): void }) {
  const { number, title, url, created, status } = opened
  const checks = { success: "The checks passed.", failure: "The checks failed." }
  return (
    <Dialog
      title={`${created ? "Opened" : "Updated"} pull request ${number}`}
      onClose={onClose}
      actions={
        <Button tone="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <p>
        <a href={url} target="_blank" rel="noreferrer" className="text-accent underline underline-offset-2">
          {title}
        </a>
      </p>
      <p className="mt-1 text-sm text-ink-2">{status ? checks[status] : "No checks ran on this commit."}</p>
    </Dialog>
  )
}
