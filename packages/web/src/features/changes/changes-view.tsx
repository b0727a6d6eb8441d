import type { Unresolved } from "@switchyard/core/files/worktrees/schema"
import { describeOperation, describeUnresolved } from "@switchyard/core/files/worktrees/unresolved"
import { formatCount } from "@switchyard/core/text/format"
import type { WorkEvidence } from "@switchyard/core/work/verification/evidence-schema"
import { clsx } from "clsx"
import { type ReactNode, useState } from "react"
import type { WorkView } from "../../session/stream/work.ts"
import { useReadOnly } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { Empty, LateSkeleton, LoadFailure, Notice } from "../../ui/notice.tsx"
import { useWideScreen } from "../../ui/use-media.ts"
import { ChangesHeader } from "./changes-header.tsx"
import { ConflictsPane } from "./conflicts/conflicts-pane.tsx"
import { EvidenceBar } from "./evidence/evidence-bar.tsx"
import { EvidencePane } from "./evidence/evidence-pane.tsx"
import { WorktreeNotices } from "./merge/worktree-notices.tsx"
import { Review } from "./review/review.tsx"
import { PathList } from "./worktree/path-list.tsx"
import { Refusal } from "./worktree/refusal.tsx"
import {
  ShownWorktree,
  useCommandFailure,
  useEvidence,
  useWorktree,
  useWorktreeActions,
} from "./worktree/use-worktree.ts"

interface Props {
  worktree: string
  /** The seq of the latest `worktree_changed`. Queries are refetched when it changes. */
  changedAt: number
  /** State of the worktree in the log, at the moment shown. */
  work: WorkView
  /** Warning with which the latest run ended. */
  warning: string | null
  /** The changed file in the URL; null if there is none. */
  file: string | null
  onFile(path: string | null): void
}

/** A session's changes as a diff against its base, and actions that merge, push or discard them. */
export function ChangesView({ worktree, ...props }: Props) {
  return (
    <ShownWorktree value={worktree}>
      <Changes {...props} />
    </ShownWorktree>
  )
}

function Changes({ changedAt, work, warning, file, onFile }: Omit<Props, "worktree">) {
  const readOnly = useReadOnly()
  const { status, diff } = useWorktree(changedAt)
  const evidence = useEvidence(work).data
  const [chosen, setChosen] = useState<boolean | null>(null)
  const [reviewing, setReviewing] = useState(false)
  const wide = useWideScreen()

  if (status.isPending) return <LateSkeleton lines={8} className="p-6" />
  if (!status.data) return <LoadFailure title="Couldn't load changes" error={status.error} onRetry={status.refetch} />
  const { exists, unresolved } = status.data
  // Don't show a warning about a worktree that is gone, or one that repeats the worktree's own notice.
  const shownWarning = exists && !(unresolved && warning?.startsWith(describeUnresolved(unresolved))) ? warning : null
  const notices = <WorktreeNotices work={work} warning={shownWarning} />
  if (!exists) return <NoWorktree notices={notices} />
  const pending = status.data.merge
  // A merge moves the branch on. Once there is nothing left to merge, there is nothing left to verify.
  const isMerged = work.merged !== null && diff.data?.files.length === 0
  const isVerified = evidence !== undefined && evidence.run_id !== null && !isMerged
  // If there is room, problems with the work are shown without a click.
  const showsEvidence = isVerified && (chosen ?? (wide && (evidence.latest?.issues.length ?? 0) > 0))
  return (
    <section
      aria-label="Changes"
      className="grid h-full min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_auto_minmax(0,1fr)]"
    >
      <ChangesHeader status={status.data} diff={diff.data} />
      <div className="max-h-[50dvh] overflow-y-auto">
        {readOnly && <Notice className="border-b border-b-line">{readOnly}</Notice>}
        {unresolved && <UnresolvedNotice unresolved={unresolved} />}
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
        <ConflictsPane wide={wide} runHooks={work.begun?.runHooks ?? false} />
      ) : (
        <BesideDiff evidence={showsEvidence ? evidence : null} wide={wide}>
          <Review
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
    ? `${what}. All conflicts in ${files} are resolved, so it's ready to complete.`
    : `${what}. ${pending.unresolved} of ${files} still ${pending.unresolved === 1 ? "has" : "have"} conflicts.`
}

function ConflictNotice({ text, reviewing, onToggle }: { text: string; reviewing: boolean; onToggle(): void }) {
  return (
    <Notice tone="need" className="flex flex-wrap items-center justify-between gap-x-3 border-b border-b-line">
      <p className="min-w-0">{text}</p>
      <Button size="sm" onClick={onToggle}>
        {reviewing ? "Show conflicts" : "Show changes"}
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

function NoWorktree({ notices }: { notices: ReactNode }) {
  return (
    <section aria-label="Changes" className="grid h-full min-h-0 min-w-0 grid-rows-[auto_minmax(0,1fr)]">
      <div className="max-h-[50dvh] overflow-y-auto">{notices}</div>
      <MakeWorktree />
    </section>
  )
}

function MakeWorktree() {
  const readOnly = useReadOnly()
  const { create } = useWorktreeActions()
  const failed = useCommandFailure("create", "merge", "reset", "delete")
  const error = create.error ?? failed
  return (
    <Empty title="No worktree yet">
      <p>Each agent works on its own branch in a separate worktree. Start an agent, or create a worktree now.</p>
      {readOnly && <p className="mt-2">{readOnly}</p>}
      <Button className="mt-3" disabled={readOnly !== null || create.isPending} onClick={() => create.mutate()}>
        Create worktree
      </Button>
      {error && <Refusal error={error} className="mt-3 text-left" />}
    </Empty>
  )
}

interface BesideDiffProps {
  /** Evidence to show; null while it is closed. */
  evidence: WorkEvidence | null
  wide: boolean
  children: ReactNode
}

/** The diff, with the evidence next to it (on phones, instead of it). */
function BesideDiff({ evidence, wide, children }: BesideDiffProps) {
  const columns = evidence && wide ? "grid-cols-[minmax(0,1fr)_minmax(240px,clamp(260px,28%,400px))]" : "grid-cols-1"
  return (
    <div className={clsx("grid min-h-0 min-w-0 grid-rows-[minmax(0,1fr)]", columns)}>
      {(wide || !evidence) && children}
      {evidence && <EvidencePane evidence={evidence} />}
    </div>
  )
}

/** Lists what keeps the work from being committed, and says how to resolve it. */
function UnresolvedNotice({ unresolved }: { unresolved: Unresolved }) {
  const { files } = unresolved
  return (
    <Notice tone="need" className="border-b border-b-line">
      <p className="font-semibold">{describeOperation(unresolved)} Resolve this before you merge, update or push.</p>
      {files.length > 0 && <PathList label="Files with conflicts" paths={files} />}
      <p className="mt-1 text-ink-2">
        Ask an agent to resolve this, finish or abort in a shell, or reset the worktree.
      </p>
    </Notice>
  )
}
