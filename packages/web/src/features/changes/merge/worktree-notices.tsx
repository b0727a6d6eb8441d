import { useRef } from "react"
import type { WorkView } from "../../../session/stream/work.ts"
import { Notice } from "../../../ui/notice.tsx"
import { HeldDeletions } from "./held-deletions.tsx"
import { KeptNotice } from "./kept-notice.tsx"
import { MergeResult } from "./merge-result.tsx"

interface Props {
  sessionId: string
  work: WorkView
  warning: string | null
  readOnly: string | null
}

/** Notices above the diff: pending decisions, the last merge, and saves in progress. */
export function WorktreeNotices({ sessionId, work, warning, readOnly }: Props) {
  const region = useRef<HTMLElement>(null)
  // The pressed button is unmounted then, so the focus needs another place.
  const onDone = () => requestAnimationFrame(() => region.current?.focus())
  const { held, merged, kept, saving } = work
  const edge = "border-b border-b-line"
  return (
    <section ref={region} aria-label="Worktree status" tabIndex={-1}>
      {held && <HeldDeletions sessionId={sessionId} held={held} readOnly={readOnly} onDone={onDone} className={edge} />}
      {merged && (
        <MergeResult sessionId={sessionId} merged={merged} readOnly={readOnly} onDone={onDone} className={edge} />
      )}
      {kept && <KeptNotice kept={kept} className={edge} />}
      {warning !== null && (
        <Notice tone="need" className={edge}>
          {warning}
        </Notice>
      )}
      {saving && (
        <Notice className={edge}>
          Saving files: {saving.saved.toLocaleString()} of {saving.total.toLocaleString()}. Until that is done, the
          editor and the zip don't have all of them; what the agent did isn't lost.
        </Notice>
      )}
    </section>
  )
}
