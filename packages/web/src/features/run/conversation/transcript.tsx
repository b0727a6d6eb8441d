import { formatCount } from "@switchyard/core/text/format"
import { Suspense, useMemo, useRef, useState } from "react"
import { VList } from "virtua"
import type { Turn } from "../../../session/stream/conversation.ts"
import type { SessionStore } from "../../../session/stream/session-store.ts"
import { useReadOnly } from "../../../session/view/use-read-only.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { Empty, Skeleton } from "../../../ui/notice.tsx"
import { StatusIcon } from "../../../ui/status-icon.tsx"
import { UnreadButton } from "../../../ui/unread-button.tsx"
import { useStickToBottom } from "../log/use-stick-to-bottom.ts"
import type { RunActions } from "../prompt/use-run-actions.ts"
import { NoteCard } from "./note-card.tsx"
import { Outcome } from "./outcome.tsx"
import { PlanCard } from "./plan-card.tsx"
import { RequestCard } from "./request-card.tsx"
import { type TranscriptItem, transcriptItems } from "./transcript-items.ts"

const CheckCard = lazyPart(async () => (await import("./check-card.tsx")).CheckCard)
const TryIt = lazyPart(async () => (await import("./try-it.tsx")).TryIt)

interface Props {
  session: SessionStore
  actions: RunActions
  onOpen(path: string): void
}

/** The conversation at the moment that is shown, windowed. Follows its end unless the reader has scrolled away. */
export function Transcript({ session, actions, onOpen }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const turns = useSessionData(session, ({ shown }) => shown.conversation)
  const moment = useSessionData(session, ({ replaySeq }) => replaySeq)
  const readOnly = useReadOnly(session) !== null
  const items = useMemo(() => transcriptItems(turns), [turns])
  const [expanded, toggle] = useExpanded()
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
            expanded={expanded.has(key)}
            onToggle={() => toggle(key)}
            onGo={() => session.replay(turn.run.firstSeq)}
          />
        )
      case "plan":
        return (
          <PlanCard
            session={session}
            failed={item.turn.run.status === "failed"}
            plan={item.plan}
            expanded={expanded.has(key)}
            onToggle={() => toggle(key)}
            onOpen={onOpen}
          />
        )
      case "note":
        return <NoteCard note={item.note} run={turn.run} onOpen={onOpen} />
      case "check":
        return (
          <Suspense fallback={<Skeleton lines={2} />}>
            <CheckCard
              sessionId={session.sessionId}
              check={item.check}
              expanded={expanded.has(key)}
              onToggle={() => toggle(key)}
            />
          </Suspense>
        )
      case "progress":
        return <Progress session={session} text={item.text} />
      case "outcome":
        return (
          <>
            <Outcome turn={turn} actions={turn === last && !readOnly ? actions : null} />
            {turn === last && !readOnly && mayBeTried(turn) && (
              <Suspense>
                <TryIt sessionId={session.sessionId} />
              </Suspense>
            )}
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

/** The work that no other row shows, and how much its model has thought. */
function Progress({ session, text }: { session: SessionStore; text: string }) {
  const thinking = useSessionData(session, ({ shownText }) => shownText.thinking)
  const chars = [...thinking.values()].reduce((sum, one) => sum + one, 0)
  return (
    <p className="flex items-center gap-2 text-sm text-ink-2">
      <StatusIcon state="busy" label={null} /> {text} …
      {chars > 0 && <span className="text-ink-3 nums">thinking, {formatCount(chars, "character")}</span>}
    </p>
  )
}

/** Whether nobody knows yet that what was built works. */
function mayBeTried({ run, check }: Turn): boolean {
  return run.agent === null && run.status === "completed" && check?.status !== "passed" && check?.status !== "running"
}

/** The rows that the reader has expanded. Kept here, since a row that is scrolled out of sight is unmounted. */
function useExpanded(): [ReadonlySet<string>, (key: string) => void] {
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set())
  const toggle = (key: string) => {
    setExpanded((before) => (before.has(key) ? before.difference(new Set([key])) : new Set([...before, key])))
  }
  return [expanded, toggle]
}
