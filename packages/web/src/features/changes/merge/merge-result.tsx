import { ApiError } from "../../../api/client.ts"
import { useToast } from "../../../session/context/studio.ts"
import type { MergedView } from "../../../session/stream/work.ts"
import { useReadOnly } from "../../../session/view/use-session.ts"
import { Button } from "../../../ui/button.tsx"
import { StatusIcon } from "../../../ui/icons.tsx"
import { ArrowUpFromLine, Undo2 } from "../../../ui/more-icons.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { Refusal } from "../worktree/refusal.tsx"
import { useCommandFailure, useWorktreeActions } from "../worktree/use-worktree.ts"

interface Props {
  merged: MergedView
  onDone(): void
}

/**
 * The last merge and its next steps: pushing a commit that is only in this clone, merging later changes, or undoing the
 * merge.
 */
export function MergeResult({ merged, onDone }: Props) {
  const { message, commit, worktreeKept, warning, push } = merged
  const left = push && !push.done ? push : null
  return (
    <Notice tone={left || worktreeKept ? "need" : "ok"} className="border-b border-b-line">
      <p>{commit === null ? message : <Merged message={message} commit={commit} />}</p>
      {worktreeKept && (
        <p className="mt-1">Merge again to include those changes, or delete the worktree if you don't need them.</p>
      )}
      {warning !== null && <p className="mt-1">{warning}</p>}
      {push?.done && (
        <p className="mt-1 flex items-center gap-2">
          <StatusIcon state="done" label={null} />
          <span className="min-w-0 break-words">
            Pushed to {push.remote}/{push.branch}.
          </span>
        </p>
      )}
      {left && <LastStep push={left} onDone={onDone} />}
      {merged.canUndo && commit !== null && <Undo commit={commit} onDone={onDone} />}
    </Notice>
  )
}

/** The message, with the commit inserted in its first sentence: "Merged into main as 672e806." */
function Merged({ message, commit }: { message: string; commit: string }) {
  const end = message.search(/\.(\s|$)/)
  const at = end < 0 ? message.length : end
  return (
    <>
      {message.slice(0, at)} as{" "}
      <code className="font-mono text-xs" title={commit}>
        {commit.slice(0, 7)}
      </code>
      {message.slice(at)}
    </>
  )
}

/** Undoes the merge. If the branch has moved on, the server refuses, and the reason is shown here. */
function Undo({ commit, onDone }: { commit: string; onDone(): void }) {
  const readOnly = useReadOnly()
  const { undo } = useWorktreeActions()
  const failed = useCommandFailure("undo")
  const error = undo.error ?? failed
  const toast = useToast()
  const done = ({ message }: { message: string }) => {
    toast(message, "ok")
    onDone()
  }
  return (
    <>
      {error && <Refusal error={error} className="mt-2" />}
      <Button
        size="sm"
        className="mt-2 max-w-full"
        disabled={readOnly !== null || undo.isPending}
        // The log may report the result before the response arrives, which unmounts this component, so use the promise
        // instead of callbacks.
        onClick={() => undo.mutateAsync({ commit }).then(done, () => undefined)}
      >
        <Undo2 size={14} aria-hidden className="shrink-0" />
        {undo.isPending ? "Undoing merge…" : "Undo merge"}
      </Button>
    </>
  )
}

interface LastStepProps extends Pick<Props, "onDone"> {
  push: NonNullable<MergedView["push"]>
}

function LastStep({ push: { remote, branch, error }, onDone }: LastStepProps) {
  const readOnly = useReadOnly()
  const { push } = useWorktreeActions()
  const failure = push.error ?? (error && new ApiError(409, error.code, error.message, error.details))
  return (
    <>
      <p className="mt-1">The merge is only in this session's clone. Push to share it.</p>
      {failure && !push.isPending && <Refusal error={failure} className="mt-2" />}
      <Button
        size="sm"
        tone="primary"
        className="mt-2 max-w-full"
        disabled={readOnly !== null || push.isPending}
        // The log may report the result before the response arrives, which unmounts this component, so use the promise
        // instead of callbacks.
        onClick={() => push.mutateAsync({ remote, branch }).then(onDone, () => undefined)}
      >
        <ArrowUpFromLine size={14} aria-hidden className="shrink-0" />
        <span className="truncate">
          {push.isPending ? "Pushing to" : "Push to"} {remote}/{branch}
        </span>
      </Button>
    </>
  )
}
