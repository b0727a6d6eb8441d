import { useRef, useState } from "react"
import { useToast } from "../../../session/context/studio.ts"
import type { KeptView, WorkView } from "../../../session/stream/work.ts"
import { useReadOnly } from "../../../session/view/use-session.ts"
import { Button } from "../../../ui/button.tsx"
import { ConfirmDialog } from "../../../ui/dialog.tsx"
import { CodeBlock } from "../../../ui/markdown/code-block.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { dayOf } from "../../../ui/time.ts"
import { PathList } from "../worktree/path-list.tsx"
import { Refusal } from "../worktree/refusal.tsx"
import { useCommandFailure, useWorktreeActions } from "../worktree/use-worktree.ts"
import { MergeResult } from "./merge-result.tsx"

/** Notices above the diff: pending decisions, the last merge, and saves in progress. */
export function WorktreeNotices({ work, warning }: { work: WorkView; warning: string | null }) {
  const region = useRef<HTMLElement>(null)
  // The pressed button is then unmounted, so move the focus.
  const onDone = () => requestAnimationFrame(() => region.current?.focus())
  const { held, merged, kept, saving } = work
  return (
    <section ref={region} aria-label="Worktree status" tabIndex={-1}>
      {held && <HeldDeletions held={held} onDone={onDone} />}
      {merged && <MergeResult merged={merged} onDone={onDone} />}
      {kept && <KeptNotice kept={kept} />}
      {warning !== null && (
        <Notice tone="need" className="border-b border-b-line">
          {warning}
        </Notice>
      )}
      {saving && (
        <Notice className="border-b border-b-line">
          Saved {saving.saved.toLocaleString()} of {saving.total.toLocaleString()} files. The editor and the zip are
          incomplete until every file is saved.
        </Notice>
      )}
    </section>
  )
}

/** Deletions by a task. There are so many that the session keeps the files until someone confirms. */
function HeldDeletions({ held, onDone }: { held: NonNullable<WorkView["held"]>; onDone(): void }) {
  const readOnly = useReadOnly()
  const { confirmDeletions } = useWorktreeActions()
  const failed = useCommandFailure("confirm_deletions")
  const toast = useToast()
  const [confirming, setConfirming] = useState(false)
  const { count, paths, of } = held
  const files = count === 1 ? "1 file" : `${count.toLocaleString()} files`
  const close = () => {
    setConfirming(false)
    confirmDeletions.reset()
  }
  // The log may report the result before the response arrives, which unmounts this component, so use the promise
  // instead of callbacks.
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
    <Notice tone="need" className="border-b border-b-line">
      <p className="font-semibold">
        The agent deleted {count.toLocaleString()} of the session's {of.toLocaleString()} files. They stay in the
        session until you confirm.
      </p>
      <PathList label="Deleted files" paths={paths} more={count - paths.length} />
      {failed && !confirming && <Refusal error={failed} className="mt-2" />}
      <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button size="sm" tone="danger" disabled={readOnly !== null} onClick={() => setConfirming(true)}>
          Delete {files}…
        </Button>
        <p className="min-w-0 flex-1 basis-48 text-ink-2">
          Unless you delete these files, the next task will restore them.
        </p>
      </div>
      {confirming && (
        <ConfirmDialog
          title={`Delete ${files} from the session?`}
          action={confirmDeletions.isPending ? "Deleting…" : `Delete ${files}`}
          busy={confirmDeletions.isPending}
          failure={confirmDeletions.error && <Refusal error={confirmDeletions.error} className="mb-3" />}
          onConfirm={confirm}
          onClose={close}
        >
          These files have already been deleted from the worktree. They'll also be removed from the editor and the zip.
          This can't be undone.
        </ConfirmDialog>
      )}
    </Notice>
  )
}

/** Unmerged work of a worktree that was removed or reset, and the command that checks it out. */
function KeptNotice({ kept: { ref, until, command, inner, ignored } }: { kept: KeptView }) {
  const isLocal = command?.startsWith("git -C ")
  return (
    <Notice className="border-b border-b-line">
      <p>
        Unmerged work is kept under <code className="font-mono text-xs break-all">{ref}</code>
        {until !== null && ` until ${dayOf(until)}`}.
      </p>
      {command !== null && (
        <>
          <p className="mt-1">To check it out, run {isLocal ? "this" : "this in a shell in the session's worktree"}:</p>
          <div className="mt-1">
            <CodeBlock text={command} language="sh" />
          </div>
        </>
      )}
      {inner.length > 0 && (
        <>
          <p className="mt-1">Nested repositories also have unmerged work:</p>
          <ul className="mt-1 list-disc pl-5 text-xs">
            {inner.map((each) => (
              <li key={each.path} className="break-all">
                {each.path}: <code className="font-mono">{each.ref}</code> in {each.repository}
              </li>
            ))}
          </ul>
        </>
      )}
      {ignored > 0 && (
        <p className="mt-1 text-ink-2">Files and folders ignored by Git weren't kept ({ignored.toLocaleString()}).</p>
      )}
    </Notice>
  )
}
