import { ArrowDown } from "lucide-react"
import { useMemo, useRef } from "react"
import { VList, type VListHandle } from "virtua"
import { useBrowser } from "../../app/studio.ts"
import type { StudioEvent } from "../../stream/event.ts"
import type { SessionStore } from "../../stream/session-store.ts"
import { Empty } from "../../ui/notice.tsx"
import { usePreferences } from "../settings/preferences.ts"
import { LogLine } from "./log-line.tsx"
import { isSummary } from "./log-rows.ts"
import { useFollow } from "./use-follow.ts"
import { useSessionData } from "./use-session.ts"

type Item = StudioEvent | { type: "divider"; text: string; seq: number }

/** What happened, line by line. Follows its end unless the reader has gone elsewhere. */
export function Log({ session, cleared }: { session: SessionStore; cleared: boolean }) {
  const list = useRef<VListHandle>(null)
  const { change } = usePreferences()
  const details = useBrowser((state) => state.preferences.log_details)
  const items = useItems(session, details, cleared)
  const { following, unread, onScroll, toEnd } = useFollow(list, items.length, session.sessionId)
  return (
    <section
      id="agent-logs"
      aria-label="Log"
      data-region="log"
      tabIndex={-1}
      className="@container relative grid h-full min-h-0 min-w-0 grid-rows-[36px_minmax(0,1fr)]"
    >
      <header className="flex items-center gap-2 border-b border-line pr-2 pl-3 text-sm">
        <h2 className="text-sm">Log</h2>
        <span className="text-xs text-ink-3 nums">{items.length.toLocaleString()} rows</span>
        <span className="ml-auto text-xs text-ink-3">{following ? "following" : "held"}</span>
        <label className="flex min-h-6 items-center gap-1.5 text-xs text-ink-2">
          <input
            type="checkbox"
            className="accent-(--accent)"
            checked={details}
            onChange={(event) => change({ log_details: event.target.checked })}
          />
          details
        </label>
      </header>
      {items.length === 0 ? (
        <Empty title="No events yet">{cleared ? "Run the prompt to fill this." : "A run fills this."}</Empty>
      ) : (
        <VList
          ref={list}
          data={items}
          onScroll={onScroll}
          role="log"
          aria-live="off"
          aria-label="Events"
          tabIndex={0}
          className="py-1"
        >
          {(item) =>
            item.type === "divider" ? (
              <Divider key={`d${item.seq}`} text={item.text} />
            ) : (
              <LogLine key={item.seq} event={item} />
            )
          }
        </VList>
      )}
      {unread > 0 && (
        <button
          type="button"
          onClick={toEnd}
          className="absolute bottom-3 left-1/2 flex h-8 -translate-x-1/2 items-center gap-1.5 rounded-md bg-accent px-3 text-sm font-semibold text-sheet nums hover:bg-accent-hover"
        >
          {unread} new <ArrowDown size={14} aria-hidden />
        </button>
      )}
    </section>
  )
}

function Divider({ text }: { text: string }) {
  return (
    <div className="my-1 flex items-center gap-2 px-3 text-xs text-ink-3">
      <span className="h-px flex-1 bg-line" />
      {text}
      <span className="h-px flex-1 bg-line" />
    </div>
  )
}

/** The events that the log shows: of the moment that is shown, and in as much detail as was asked for. */
function useItems(session: SessionStore, details: boolean, cleared: boolean): Item[] {
  const { events } = session.store.getState()
  const seq = useSessionData(session, ({ shown }) => shown.seq)
  const carried = useSessionData(session, (data) => data.carried)
  const leftAt = useSessionData(session, (data) => data.leftAt)
  return useMemo(() => {
    const wanted = (event: StudioEvent) => (details || isSummary(event)) && event.seq <= seq
    const before: Item[] = carried
      ? [
          ...carried.events.filter((event) => details || isSummary(event)),
          { type: "divider", text: carried.note, seq: 0 },
        ]
      : []
    if (cleared) return before
    const items: Item[] = events.filter(wanted)
    const at = leftAt === null ? -1 : items.findIndex((item) => item.seq > leftAt)
    if (leftAt !== null && at > 0) items.splice(at, 0, { type: "divider", text: "since you left", seq: leftAt })
    return [...before, ...items]
  }, [events, seq, details, cleared, carried, leftAt])
}
