import { useState } from "react"
import { useToast } from "../../../session/context/studio.ts"
import type { WorkView } from "../../../session/stream/work.ts"
import { Button } from "../../../ui/button.tsx"
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { Refusal } from "../worktree/refusal.tsx"
import { useWorktreeActions } from "../worktree/use-worktree.ts"

interface Props {
  sessionId: string
  held: NonNullable<WorkView["held"]>
  readOnly: string | null
  onDone(): void
  className?: string
}

/** Deletions by a task, so many that the session keeps the files until someone confirms. */
export function HeldDeletions({ sessionId, held, readOnly, onDone, className }: Props) {
  const { confirmDeletions } = useWorktreeActions(sessionId)
  const toast = useToast()
  const [confirming, setConfirming] = useState(false)
  const { count, paths, of } = held
  const files = count === 1 ? "1 file" : `${count.toLocaleString()} files`
  const close = () => {
    setConfirming(false)
    confirmDeletions.reset()
  }
  // The log may report it before the answer arrives, which unmounts this component; only the promise is left then.
  const confirm = () =>
    confirmDeletions.mutateAsync().then(
      ({ message }) => {
        toast(message, "ok")
        close()
        onDone()
      },
      () => undefined,
    )
  return (
    <Notice tone="need" className={className}>
      <p className="font-semibold">
        The agent deleted {count.toLocaleString()} of the session's {of.toLocaleString()} files. The session keeps them
        until you confirm.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys */}
      <ul tabIndex={0} aria-label="Deleted files" className="mt-1 max-h-32 list-disc overflow-y-auto pl-5">
        {paths.map((path) => (
          <li key={path} className="font-mono text-xs break-all">
            {path}
          </li>
        ))}
        {count > paths.length && <li className="text-xs">and {(count - paths.length).toLocaleString()} more</li>}
      </ul>
      <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button size="sm" tone="danger" disabled={readOnly !== null} onClick={() => setConfirming(true)}>
          Delete {files}…
        </Button>
        <p className="min-w-0 flex-1 basis-48 text-ink-2">To keep them, do nothing: the next task restores them.</p>
      </div>
      {confirming && (
        <ConfirmDialog
          title={`Delete ${files} from the session?`}
          action={confirmDeletions.isPending ? "Deleting" : `Delete ${files}`}
          busy={confirmDeletions.isPending}
          failure={confirmDeletions.error && <Refusal error={confirmDeletions.error} className="mb-3" />}
          onConfirm={confirm}
          onClose={close}
        >
          They're already deleted from the worktree. Once you confirm, they're removed from the editor and the zip, too.
          This can't be undone.
        </ConfirmDialog>
      )}
    </Notice>
  )
}
