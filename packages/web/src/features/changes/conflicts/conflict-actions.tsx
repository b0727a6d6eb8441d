import type { Conflicts } from "@switchyard/core/files/worktrees/conflict-schema"
import type { MergeResult } from "@switchyard/core/files/worktrees/merge-schema"
import { useState } from "react"
import { useToast } from "../../../session/context/studio.ts"
import { useReadOnly } from "../../../session/view/use-session.ts"
import { Button } from "../../../ui/button.tsx"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { ConfirmDialog } from "../../../ui/dialog.tsx"
import { Refusal } from "../worktree/refusal.tsx"
import { useCommandFailure, useWorktreeActions } from "../worktree/use-worktree.ts"
import type { Sides } from "./conflict-choices.ts"

interface Props {
  conflicts: Conflicts
  sides: Sides
  /** True if the merge was asked to run the repository's hooks. Completing it then also runs them by default. */
  runHooks: boolean
}

/** Actions on a paused merge as a whole: take one side for every file, abort, or complete it. */
export function ConflictActions({ conflicts, sides, runHooks }: Props) {
  const readOnly = useReadOnly()
  const { resolve, complete, abort, askAgent } = useWorktreeActions()
  const toast = useToast()
  const [confirming, setConfirming] = useState<"ours" | "theirs" | "abort" | null>(null)
  const [chosen, setChosen] = useState<boolean | null>(null)
  const hooked = chosen ?? runHooks
  const busy = resolve.isPending || complete.isPending || abort.isPending || askAgent.isPending
  const off = readOnly !== null || busy
  const open = conflicts.unresolved > 0
  const merges = conflicts.direction === "merge"
  const what = merges ? "merge" : "update"
  const failed = useCommandFailure("complete", "resolve", "abort")
  const error = complete.error ?? resolve.error ?? abort.error ?? askAgent.error ?? failed
  const callbacks = {
    onSuccess: ({ message, success }: MergeResult) => toast(message, success ? "ok" : "info"),
    onSettled: () => setConfirming(null),
  }
  // Once the merge is aborted, this panel is unmounted and its callbacks no longer run, so use the promise.
  const resolveByAgent = () =>
    askAgent.mutateAsync().then(
      () => toast("The agent is resolving the conflicts. Merge again when it's done."),
      () => undefined,
    )
  return (
    <footer className="border-t border-line">
      {error && <Refusal error={error} waits={merges} className="border-b border-b-line" />}
      {merges && !open && (
        <div className="px-3 pt-2 text-sm">
          <Checkbox
            label="Run Git hooks"
            hint="If a hook fails, the merge stays paused."
            value={hooked}
            onChange={setChosen}
          />
        </div>
      )}
      <div className="flex flex-wrap items-center gap-1.5 px-3 py-1.5">
        <Button size="sm" tone="quiet" disabled={off || !open} onClick={() => setConfirming("ours")}>
          Use {sides.ours} for all files
        </Button>
        <Button size="sm" tone="quiet" disabled={off || !open} onClick={() => setConfirming("theirs")}>
          Use {sides.theirs} for all files
        </Button>
        <Button
          size="sm"
          disabled={off || !open}
          title={`Abort this ${what} and ask the agent to resolve the conflicts`}
          onClick={resolveByAgent}
        >
          Resolve with agent
        </Button>
        <span className="ml-auto text-xs text-ink-3 nums">
          {open ? `${conflicts.unresolved} unresolved` : "All resolved"}
        </span>
        <Button size="sm" tone="danger" disabled={off} onClick={() => setConfirming("abort")}>
          Abort {what}
        </Button>
        <Button
          size="sm"
          tone="primary"
          disabled={off || open}
          onClick={() => complete.mutate(merges ? { run_hooks: hooked } : {}, callbacks)}
        >
          Complete {what}
        </Button>
      </div>
      {confirming === "abort" && (
        <ConfirmDialog
          cancelLabel="Cancel"
          title={`Abort ${what}?`}
          action="Abort"
          busy={busy}
          onClose={() => setConfirming(null)}
          onConfirm={() => abort.mutate(undefined, callbacks)}
        >
          Everything will go back to how it was before the {what}. Your conflict resolutions will be lost.
        </ConfirmDialog>
      )}
      {(confirming === "ours" || confirming === "theirs") && (
        <ConfirmDialog
          cancelLabel="Cancel"
          title={`Use ${sides[confirming]} for all files?`}
          action={`Use ${sides[confirming]}`}
          busy={busy}
          onClose={() => setConfirming(null)}
          onConfirm={() => resolve.mutate({ use: confirming, complete: false }, callbacks)}
        >
          Unresolved files will use the version from {sides[confirming]}. All other changes in these files will be
          discarded. Nothing is final until you complete the {what}.
        </ConfirmDialog>
      )}
    </footer>
  )
}
