import { formatCount } from "@switchyard/core/text/format"
import { useMemo, useRef } from "react"
import { VList } from "virtua"
import type { RunActions } from "../../../session/actions/use-run-actions.ts"
import type { Turn } from "../../../session/stream/conversation.ts"
import { useReadOnly, useSessionData, useShownSession } from "../../../session/view/use-session.ts"
import { StatusIcon } from "../../../ui/icons.tsx"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { LongText } from "../../../ui/long-text.tsx"
import { Empty, Skeleton } from "../../../ui/notice.tsx"
import { momentOf, shortTime } from "../../../ui/time.ts"
import { UnreadButton } from "../../../ui/unread-button.tsx"
import { useStickToBottom } from "../../../ui/use-stick-to-bottom.ts"
import { useExpanded } from "../../conversation/use-expanded.ts"
import { NoteCard } from "./note-card.tsx"
import { Outcome } from "./outcome.tsx"
import { PlanCard } from "./plan-card.tsx"
import { type TranscriptItem, transcriptItems } from "./transcript-items.ts"

const CheckCard = lazyPart(async () => (await import("./check-card.tsx")).CheckCard, <Skeleton lines={2} />)
const TryIt = lazyPart(async () => (await import("./try-it.tsx")).TryIt)

/** The conversation at the moment shown, windowed. Follows its end unless the reader has scrolled away. */
export function Transcript({ actions, onOpen }: { actions: RunActions; onOpen(path: string): void }) {
  const session = useShownSession()
  const frame = useRef<HTMLDivElement>(null)
  const turns = useSessionData(({ shown }) => shown.conversation)
  const moment = useSessionData(({ replaySeq }) => replaySeq)
  const readOnly = useReadOnly() !== null
  const items = useMemo(() => transcriptItems(turns), [turns])
  const { isExpanded, toggle } = useExpanded()
  const { unread, toEnd } = useStickToBottom(frame, { count: items.length, subject: session.sessionId, moment })
  const last = turns.at(-1)

  const draw = (item: TranscriptItem) => {
    const { key, turn } = item
    switch (item.type) {
      case "request":
        return (
          <RequestCard
            turn={turn}
            number={item.number}
            expanded={isExpanded(key)}
            onToggle={() => toggle(key)}
            onGo={() => session.replay(turn.run.firstSeq)}
          />
        )
      case "plan":
        return (
          <PlanCard
            failed={item.turn.run.status === "failed"}
            plan={item.plan}
            expanded={isExpanded(key)}
            onToggle={() => toggle(key)}
            onOpen={onOpen}
          />
        )
      case "note":
        return <NoteCard note={item.note} run={turn.run} onOpen={onOpen} />
      case "check":
        return <CheckCard check={item.check} expanded={isExpanded(key)} onToggle={() => toggle(key)} />
      case "progress":
        return <Progress text={item.text} />
      case "outcome":
        return (
          <>
            <Outcome turn={turn} actions={turn === last && !readOnly ? actions : null} />
            {turn === last && !readOnly && mayBeTried(turn) && <TryIt />}
          </>
        )
    }
  }

  return (
    <div ref={frame} className="relative min-h-0">
      {items.length === 0 ? (
        <Empty title="What should we build?">Describe it below. Your requests and their results appear here.</Empty>
      ) : (
        <VList data={items} role="log" aria-live="off" aria-label="Requests and results" tabIndex={0} className="py-2">
          {(item) => (
            <div key={item.key} className={`px-3 ${item.type === "request" ? "pt-4 pb-1.5" : "py-1.5"}`}>
              {draw(item)}
            </div>
          )}
        </VList>
      )}
      <UnreadButton count={unread} onGo={toEnd} />
    </div>
  )
}

/** Work that no other row shows, and how much its model has thought. */
function Progress({ text }: { text: string }) {
  const thinking = useSessionData(({ shownText }) => shownText.thinking)
  const chars = [...thinking.values()].reduce((sum, one) => sum + one, 0)
  return (
    <p className="flex items-center gap-2 text-sm text-ink-2">
      <StatusIcon state="busy" label={null} /> {text} …
      {chars > 0 && <span className="text-ink-3 nums">thinking, {formatCount(chars, "character")}</span>}
    </p>
  )
}

/** Returns true if it isn't known yet whether what was built works. */
function mayBeTried({ run, check }: Turn): boolean {
  return run.agent === null && run.status === "completed" && check?.status !== "passed" && check?.status !== "running"
}

interface RequestCardProps {
  turn: Turn
  number: number
  expanded: boolean
  onToggle(): void
  /** Goes to the moment at which it was asked. */
  onGo(): void
}

/** A request, verbatim. */
function RequestCard({ turn: { run, resumes }, number, expanded, onToggle, onGo }: RequestCardProps) {
  return (
    <article aria-labelledby={`request-${run.runId}`} data-run={run.runId} className="ml-auto w-fit max-w-[92%]">
      <h3 id={`request-${run.runId}`} className="unseen">
        Request {number}
      </h3>
      {resumes ? (
        <p className="rounded-md bg-well px-3 py-2 text-sm text-ink-2">Resumed with the plan above</p>
      ) : (
        <div className="rounded-md bg-well px-3 py-2">
          <LongText text={run.prompt} expanded={expanded} onToggle={onToggle} />
        </div>
      )}
      <p className="mt-0.5 flex items-center justify-end gap-2 text-xs text-ink-3 nums">
        <span className="min-w-0 truncate">{run.agent ?? run.model}</span>
        <button
          type="button"
          onClick={onGo}
          title={`Go to this moment: ${momentOf(run.startedAt)}`}
          className="min-h-6 shrink-0 rounded-sm px-1 hover:text-ink hover:underline"
        >
          <time dateTime={run.startedAt}>{shortTime(run.startedAt)}</time>
        </button>
      </p>
    </article>
  )
}
