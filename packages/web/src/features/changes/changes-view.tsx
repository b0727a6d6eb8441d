import { describeUnresolved } from "@switchyard/core/files/worktrees/unresolved"
import { formatCount } from "@switchyard/core/text/format"
import { type ReactNode, useState } from "react"
import type { WorkView } from "../../session/stream/work.ts"
import { Button } from "../../ui/button.tsx"
import { Empty, Notice, Skeleton } from "../../ui/notice.tsx"
import { useDelay } from "../../ui/use-delay.ts"
import { useWideScreen } from "../../ui/use-media.ts"
import { ChangesHeader } from "./changes-header.tsx"
import { ConflictsPane } from "./conflicts/conflicts-pane.tsx"
import { BesideDiff } from "./evidence/beside-diff.tsx"
import { EvidenceBar } from "./evidence/evidence-bar.tsx"
import { WorktreeNotices } from "./merge/worktree-notices.tsx"
import { Review } from "./review/review.tsx"
import { Refusal } from "./worktree/refusal.tsx"
import { UnresolvedNotice } from "./worktree/unresolved-notice.tsx"
import { ShownWorktree, useEvidence, useWorktree, useWorktreeActions } from "./worktree/use-worktree.ts"

interface Props {
  sessionId: string
  /** The name of the worktree. */
  worktree: string
  /** The reason why nothing can be changed now; null when it can. */
  readOnly: string | null
  /** The seq of the newest `worktree_changed`; queries are refetched when it changes. */
  changedAt: number
  /** The state of the worktree in the log, at the moment that is shown. */
  work: WorkView
  /** The warning that the newest run ended with. */
  warning: string | null
  /** The changed file of the address; null if it names none. */
  file: string | null
  onFile(path: string | null): void
}

/** A session's changes as a diff against its base, and the actions that merge, push or discard them. */
export function ChangesView({ worktree, ...props }: Props) {
  return (
    <ShownWorktree value={worktree}>
      <Changes {...props} />
    </ShownWorktree>
  )
}

function Changes({ sessionId, readOnly, changedAt, work, warning, file, onFile }: Omit<Props, "worktree">) {
  const { status, diff } = useWorktree(sessionId, changedAt)
  const evidence = useEvidence(sessionId, work).data
  const [chosen, setChosen] = useState<boolean | null>(null)
  const [reviewing, setReviewing] = useState(false)
  const wide = useWideScreen()

  if (status.isPending) return <Waiting />
  if (!status.data) {
    return (
      <Empty title="Changes can't be loaded">
        <p>{status.error.message}</p>
        <Button className="mt-3" onClick={() => status.refetch()}>
          Try again
        </Button>
      </Empty>
    )
  }
  const { exists, unresolved } = status.data
  // A warning about a worktree that is gone, or what its own notice says, is of no use.
  const shownWarning = exists && !(unresolved && warning?.startsWith(describeUnresolved(unresolved))) ? warning : null
  const notices = <WorktreeNotices sessionId={sessionId} work={work} warning={shownWarning} readOnly={readOnly} />
  if (!exists) return <NoWorktree sessionId={sessionId} readOnly={readOnly} notices={notices} />
  const pending = status.data.merge
  // A merge moves the branch on: once there is nothing left to merge, there is nothing left to prove.
  const isMerged = work.merged !== null && diff.data?.files.length === 0
  const isVerified = evidence !== undefined && evidence.run_id !== null && !isMerged
  // What speaks against the work is seen without a click, where there is room for it.
  const showsEvidence = isVerified && (chosen ?? (wide && (evidence.latest?.issues.length ?? 0) > 0))
  return (
    <section
      aria-label="Changes"
      className="grid h-full min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_auto_minmax(0,1fr)]"
    >
      <ChangesHeader sessionId={sessionId} status={status.data} diff={diff.data} readOnly={readOnly} />
      <div className="max-h-[50dvh] overflow-y-auto">
        {readOnly && <Notice className="border-b border-b-line">{readOnly}</Notice>}
        {unresolved && <UnresolvedNotice unresolved={unresolved} className="border-b border-b-line" />}
        {notices}
        {status.error && <Stale error={status.error} retry={() => status.refetch()} />}
        {isVerified && (
          <EvidenceBar evidence={evidence} isOpen={showsEvidence} onToggle={() => setChosen(!showsEvidence)} />
        )}
        {pending && (
          <ConflictNotice text={waitingText(pending)} reviewing={reviewing} onToggle={() => setReviewing(!reviewing)} />
        )}
      </div>
      {pending && !reviewing ? (
        <ConflictsPane sessionId={sessionId} readOnly={readOnly} wide={wide} runHooks={work.begun?.runHooks ?? false} />
      ) : (
        <BesideDiff evidence={showsEvidence ? evidence : null} wide={wide}>
          <Review
            sessionId={sessionId}
            changedAt={changedAt}
            diff={diff.data}
            error={diff.error}
            retry={() => diff.refetch()}
            wide={wide}
            merged={work.merged !== null}
            chosen={file}
            onChoose={onFile}
          />
        </BesideDiff>
      )}
    </section>
  )
}

function waitingText(pending: {
  direction: "merge" | "update"
  target_branch: string
  files: number
  unresolved: number
}) {
  const what =
    pending.direction === "merge"
      ? `The merge into ${pending.target_branch} is paused`
      : `The update from ${pending.target_branch} is paused`
  const files = formatCount(pending.files, "file")
  return pending.unresolved === 0
    ? `${what}: all conflicts in ${files} are resolved, ready to complete.`
    : `${what}: ${pending.unresolved} of ${files} still ${pending.unresolved === 1 ? "has" : "have"} conflicts.`
}

function ConflictNotice({ text, reviewing, onToggle }: { text: string; reviewing: boolean; onToggle(): void }) {
  return (
    <Notice tone="need" className="flex flex-wrap items-center justify-between gap-x-3 border-b border-b-line">
      <p className="min-w-0">{text}</p>
      <Button size="sm" onClick={onToggle}>
        {reviewing ? "Show the conflicts" : "Show the changes"}
      </Button>
    </Notice>
  )
}

function Stale({ error, retry }: { error: Error; retry(): void }) {
  return (
    <div className="border-b border-line">
      <Refusal error={error} />
      <Button size="sm" className="m-2 mt-0" onClick={retry}>
        Try again
      </Button>
    </div>
  )
}

function Waiting() {
  const late = useDelay(300)
  return late ? <Skeleton lines={8} className="p-6" /> : null
}

interface NoWorktreeProps {
  sessionId: string
  readOnly: string | null
  notices: ReactNode
}

function NoWorktree({ sessionId, readOnly, notices }: NoWorktreeProps) {
  return (
    <section aria-label="Changes" className="grid h-full min-h-0 min-w-0 grid-rows-[auto_minmax(0,1fr)]">
      <div className="max-h-[50dvh] overflow-y-auto">{notices}</div>
      <MakeWorktree sessionId={sessionId} readOnly={readOnly} />
    </section>
  )
}

function MakeWorktree({ sessionId, readOnly }: { sessionId: string; readOnly: string | null }) {
  const { create } = useWorktreeActions(sessionId)
  return (
    <Empty title="No worktree yet">
      <p>Agents work on their own branch, in a copy of the repository. The first agent creates it.</p>
      {readOnly && <p className="mt-2">{readOnly}</p>}
      <Button className="mt-3" disabled={readOnly !== null || create.isPending} onClick={() => create.mutate()}>
        Create one now
      </Button>
      {create.error && <Refusal error={create.error} className="mt-3 text-left" />}
    </Empty>
  )
}
