import { useEffect, useMemo, useRef } from "react"
import { VList } from "virtua"
import { useBrowser } from "../../../session/context/studio.ts"
import { usePreferences } from "../../../session/preferences/use-preferences.ts"
import { segmentAt } from "../../../session/stream/segments.ts"
import { useSessionData, useShownSession } from "../../../session/view/use-session.ts"
import { Button } from "../../../ui/button.tsx"
import { Empty, Notice } from "../../../ui/notice.tsx"
import { UnreadButton } from "../../../ui/unread-button.tsx"
import { useStickToBottom } from "../../../ui/use-stick-to-bottom.ts"
import { agentNameOf, hasAgents, hasGrownAbove, type LogItem, logItems } from "./log-items.ts"
import { LogLine } from "./log-line.tsx"

/** The session's events, one per row. Follows its end unless the reader has scrolled away. */
export function Log() {
  const { sessionId } = useShownSession()
  const frame = useRef<HTMLElement>(null)
  const details = useBrowser((state) => state.preferences.log_details)
  // Agents emit events all day, so their log is paged instead of being held in memory.
  const isPaged = useSessionData(({ shown }) => hasAgents(shown)) || details
  const items = useItems({ details, isPaged })
  const agents = useSessionData(({ shown }) => shown.agents)
  const moment = useSessionData(({ replaySeq }) => replaySeq)
  const { following, unread, toEnd } = useStickToBottom(frame, {
    count: items.length,
    subject: sessionId,
    moment,
  })
  const earlier = useEarlier(isPaged, items.length)
  const grownAbove = useGrownAbove(items)
  return (
    <section
      ref={frame}
      id="agent-logs"
      aria-label="Log"
      data-region="log"
      tabIndex={-1}
      className="@container relative grid h-full min-h-0 min-w-0 grid-rows-[36px_minmax(0,1fr)]"
    >
      <LogHeader rows={items.length} earlier={earlier.count} following={following} details={details} />
      {earlier.failure !== null && (
        <Notice tone="err" className="absolute inset-x-0 top-9 z-1 flex items-center gap-3 border-b border-line">
          <span className="min-w-0 flex-1">Couldn't load earlier events. {earlier.failure}</span>
          <Button size="sm" onClick={earlier.read}>
            Retry
          </Button>
        </Notice>
      )}
      {items.length === 0 ? (
        <Empty title="No events yet">Start a run to see its events.</Empty>
      ) : (
        <VList
          data={items}
          shift={grownAbove}
          onScroll={(offset) => offset < NEAR_TOP_PX && earlier.read()}
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
              <LogLine key={item.seq} event={item} details={details} agentName={agentNameOf(item, agents)} />
            )
          }
        </VList>
      )}
      <UnreadButton count={unread} onGo={toEnd} />
    </section>
  )
}

interface HeaderProps {
  rows: number
  earlier: number
  following: boolean
  details: boolean
}

function LogHeader({ rows, earlier, following, details }: HeaderProps) {
  const { change } = usePreferences()
  return (
    <header className="flex items-center gap-2 border-b border-line pr-2 pl-3 text-sm">
      <h2 className="text-sm">Log</h2>
      <span className="truncate text-xs text-ink-3 nums">
        {rows.toLocaleString()} {rows === 1 ? "entry" : "entries"}
        {earlier > 0 && ` loaded, ${earlier.toLocaleString()} more available`}
      </span>
      <span className="ml-auto text-xs text-ink-3">{following ? "Following" : "Paused"}</span>
      <label className="flex min-h-6 items-center gap-1.5 text-xs text-ink-2">
        <input
          type="checkbox"
          className="accent-accent"
          checked={details}
          onChange={(event) => change({ log_details: event.target.checked })}
        />
        Show details
      </label>
    </header>
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

/** Earlier events are loaded when the reader scrolls this close to the top. */
const NEAR_TOP_PX = 800

/** This many rows fill any screen. A list with fewer can't be scrolled, so more are loaded automatically. */
const FILLED_ROWS = 60

/**
 * Returns how many events precede the loaded ones, and how to load more. With details, only the viewed range is loaded.
 */
function useEarlier(wanted: boolean, rows: number) {
  const session = useShownSession()
  const from = useSessionData(({ segments, shown }) => segmentAt(segments, shown.seq)?.from)
  const count = useSessionData(({ shown, firstSeq }) => (from ?? shown.seq + 1) - firstSeq)
  const earlier = useSessionData((data) => data.earlier)
  const tooFew = wanted && count > 0 && (from === undefined || rows < FILLED_ROWS)
  useEffect(() => {
    if (tooFew && earlier.state === "read") session.readEarlier()
  }, [session, tooFew, earlier])
  return {
    count: wanted ? count : 0,
    failure: wanted && earlier.state === "failed" ? earlier.message : null,
    read: () => {
      if (wanted) session.readEarlier()
    },
  }
}

function useGrownAbove(items: LogItem[]): boolean {
  const before = useRef(items)
  const grown = useMemo(() => hasGrownAbove(before.current, items), [items])
  useEffect(() => {
    before.current = items
  }, [items])
  return grown
}

function useItems({ details, isPaged }: { details: boolean; isPaged: boolean }): LogItem[] {
  const structural = useSessionData((data) => data.structural)
  const segments = useSessionData((data) => data.segments)
  const seq = useSessionData(({ shown }) => shown.seq)
  const carried = useSessionData((data) => data.carried)
  const leftAt = useSessionData((data) => data.leftAt)
  return useMemo(
    () => logItems({ structural, segments, carried, leftAt, seq, details, isPaged }),
    [structural, segments, seq, details, isPaged, carried, leftAt],
  )
}
