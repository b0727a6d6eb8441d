import { Fragment, type ReactNode, useState } from "react"
import { Button } from "../../../ui/button.tsx"
import { Dialog } from "../../../ui/dialog.tsx"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { Empty, Notice, Skeleton } from "../../../ui/notice.tsx"

const CompareView = lazyPart(async () => (await import("./compare-view.tsx")).CompareView, <Skeleton lines={8} />)

interface ConflictProps {
  path: string
  mine: string
  theirs: string
  onMine(): void
  onTheirs(): void
}

/** Shows a conflict between two versions, for the user to resolve. */
export function Conflict({ path, mine, theirs, onMine, onTheirs }: ConflictProps) {
  const [comparing, setComparing] = useState(false)
  const choices = (
    <Fragment key="choices">
      <Button size="sm" onClick={onMine}>
        Keep mine
      </Button>
      <Button size="sm" onClick={onTheirs}>
        Use theirs
      </Button>
    </Fragment>
  )
  const compare = (
    <Button key="compare" size="sm" tone="quiet" onClick={() => setComparing(true)}>
      Compare
    </Button>
  )
  return (
    <>
      <EditorNotice tone="need" actions={[choices, compare]}>
        This file was changed elsewhere while you were editing it.
      </EditorNotice>
      {comparing && (
        <Dialog title={path} wide onClose={() => setComparing(false)} actions={choices}>
          <p className="mb-3 text-sm text-ink-2">Green lines are only in your version, red lines only in theirs.</p>
          <CompareView theirs={theirs} mine={mine} />
        </Dialog>
      )}
    </>
  )
}

export function SaveFailed({ reason, onRetry }: { reason: string; onRetry(): void }) {
  return (
    <EditorNotice
      tone="err"
      actions={
        <Button size="sm" onClick={onRetry}>
          Retry
        </Button>
      }
    >
      Couldn't save. {reason}
    </EditorNotice>
  )
}

export function Removed({ onSave, onDrop }: { onSave(): void; onDrop(): void }) {
  return (
    <EditorNotice
      tone="need"
      actions={
        <>
          <Button size="sm" onClick={onSave}>
            Save again
          </Button>
          <Button size="sm" tone="quiet" onClick={onDrop}>
            Discard my text
          </Button>
        </>
      }
    >
      This file was deleted. Your text is still here but isn't saved.
    </EditorNotice>
  )
}

export function Unreadable({ reason, onRetry }: { reason: string; onRetry(): void }) {
  return (
    <Empty title="Couldn't load this file">
      <p role="alert">{reason}</p>
      <Button size="sm" className="mt-3" onClick={onRetry}>
        Retry
      </Button>
    </Empty>
  )
}

function EditorNotice({ tone, children, actions }: { tone: "need" | "err"; children: ReactNode; actions: ReactNode }) {
  return (
    <Notice tone={tone} className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-2 border-b border-b-line">
      <div className="min-w-0 flex-1 basis-48">{children}</div>
      <div className="flex flex-wrap gap-2">{actions}</div>
    </Notice>
  )
}
