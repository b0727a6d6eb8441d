import type { DiffSummary } from "@switchyard/core/files/worktrees/diff-schema"
import type { WorktreeStatus } from "@switchyard/core/files/worktrees/schema"
import { formatCount } from "@switchyard/core/text/format"
import { useState } from "react"
import { useLocation } from "wouter"
import { useCommand } from "../../session/context/commands.ts"
import { paths } from "../../session/context/routes.ts"
import { useToast } from "../../session/context/studio.ts"
import { useListedSession } from "../../session/list/use-sessions.ts"
import { useReadOnly, useShownSession } from "../../session/view/use-session.ts"
import { Button, IconButton } from "../../ui/button.tsx"
import { Ellipsis } from "../../ui/icons.tsx"
import { GitBranch, GitMerge, RefreshCw, Terminal } from "../../ui/more-icons.tsx"
import { ArrowRight } from "../../ui/session-icons.tsx"
import { VerificationDialog } from "./evidence/verification-dialog.tsx"
import { headerState } from "./header-state.ts"
import { MergeDialog } from "./merge/merge-dialog.tsx"
import { PullRequestDialog } from "./merge/pull-request-dialog.tsx"
import { DeleteDialog, PushDialog, ResetDialog } from "./merge/worktree-dialogs.tsx"
import { Counts } from "./worktree/counts.tsx"
import { Refusal } from "./worktree/refusal.tsx"
import { useCommandFailure, useWorktreeActions } from "./worktree/use-worktree.ts"

/** The branch, its target, the diff size, and actions on all changes. */
export function ChangesHeader({ status, diff }: { status: WorktreeStatus; diff: DiffSummary | undefined }) {
  const readOnly = useReadOnly()
  const { sessionId } = useShownSession()
  const { update, openShell } = useWorktreeActions()
  const toast = useToast()
  const failedUpdate = useCommandFailure("update")
  // An open dialog shows its own failure.
  const failedDialog = useCommandFailure("merge", "push", "reset", "delete")
  const [dialog, setDialog] = useState<"verify" | "merge" | "push" | "propose" | "reset" | "delete" | null>(null)
  const [more, setMore] = useState(false)
  const close = () => setDialog(null)
  const [, go] = useLocation()
  const showShell = () =>
    openShell.mutate(undefined, {
      onSuccess: ({ pty }) => go(paths.term(sessionId, pty), { state: { typing: true } }),
    })
  useCommand("shell", "Open a shell", showShell)
  const isHosted = /^https?:/.test(useListedSession(sessionId)?.repository ?? "")
  const target = status.target_branch
  const { can, files, behind } = headerState(status, diff, { readOnly: readOnly !== null, updating: update.isPending })
  return (
    <header className="border-b border-line">
      <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1">
        <Branches branch={status.branch} target={target} />
        {diff && files !== null && (
          <p className="flex gap-2 text-sm text-ink-2 nums">
            {files}
            <Counts additions={diff.insertions} deletions={diff.deletions} />
          </p>
        )}
        {behind !== null && (
          <p
            className="text-sm text-ink-2 nums"
            title={`This branch is ${formatCount(behind, "commit")} behind ${target}`}
          >
            {behind} behind
          </p>
        )}
        <div className="ml-auto flex flex-wrap items-center justify-end gap-1.5">
          <div className={more ? "flex" : "flex max-md:hidden"}>
            <Button size="sm" tone="quiet" disabled={openShell.isPending} onClick={showShell}>
              <Terminal size={14} aria-hidden /> Shell
            </Button>
            <Button size="sm" tone="quiet" disabled={readOnly !== null} onClick={() => setDialog("verify")}>
              Verify…
            </Button>
            <Button size="sm" tone="quiet" disabled={!can.push} onClick={() => setDialog("push")}>
              Push…
            </Button>
            {isHosted && (
              <Button size="sm" tone="quiet" disabled={!can.push} onClick={() => setDialog("propose")}>
                Pull request…
              </Button>
            )}
            <Button size="sm" tone="quiet" disabled={!can.reset} onClick={() => setDialog("reset")}>
              Reset…
            </Button>
            <Button size="sm" tone="quiet" disabled={!can.delete} onClick={() => setDialog("delete")}>
              Delete…
            </Button>
          </div>
          <IconButton
            label={more ? "Fewer actions" : "More actions"}
            aria-expanded={more}
            className="md:hidden"
            onClick={() => setMore(!more)}
          >
            <Ellipsis size={16} aria-hidden />
          </IconButton>
          <Button
            size="sm"
            disabled={!can.update}
            title={behind !== null ? `Merge ${target} into this branch` : "Up to date with the target branch"}
            onClick={() => update.mutate(undefined, { onSuccess: ({ message }) => toast(message) })}
          >
            <RefreshCw size={14} aria-hidden /> {update.isPending ? "Updating…" : "Update"}
          </Button>
          <Button size="sm" tone="primary" disabled={!can.merge} onClick={() => setDialog("merge")}>
            <GitMerge size={14} aria-hidden /> Merge…
          </Button>
        </div>
      </div>
      <Failure error={openShell.error} />
      <Failure error={update.error ?? failedUpdate} />
      {dialog === null && <Failure error={failedDialog} />}
      {dialog === "verify" && <VerificationDialog onClose={close} />}
      {dialog === "merge" && <MergeDialog status={status} onClose={close} />}
      {dialog === "push" && <PushDialog status={status} onClose={close} />}
      {dialog === "propose" && <PullRequestDialog status={status} onClose={close} />}
      {dialog === "reset" && <ResetDialog diff={diff} onClose={close} />}
      {dialog === "delete" && <DeleteDialog status={status} onClose={close} />}
    </header>
  )
}

function Failure({ error }: { error: Error | null }) {
  return error && <Refusal error={error} className="border-t border-t-line" />
}

function Branches({ branch, target }: { branch: string | null; target: string | null }) {
  return (
    <h2 className="flex max-w-full min-w-0 items-center gap-1.5 text-sm font-normal">
      <GitBranch size={14} aria-hidden className="shrink-0 text-ink-3" />
      <span className="unseen">Branch </span>
      <span className="truncate font-mono text-xs font-semibold" title={branch ?? undefined}>
        {branch}
      </span>
      {target && (
        <>
          <ArrowRight size={14} aria-label="into" className="shrink-0 text-ink-3" />
          <span className="max-w-[50%] shrink-0 truncate font-mono text-xs">{target}</span>
        </>
      )}
    </h2>
  )
}
