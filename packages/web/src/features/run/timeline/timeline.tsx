import { useMemo } from "react"
import { useCommand } from "../../../session/context/commands.ts"
import { loadedEvents } from "../../../session/stream/segments.ts"
import type { Connection } from "../../../session/stream/session-data.ts"
import { useReplay } from "../../../session/view/use-replay.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { Button, IconButton } from "../../../ui/button.tsx"
import { Play } from "../../../ui/icons.tsx"
import { Pause, SkipBack, StepBack, StepForward } from "../../../ui/session-icons.tsx"
import { clockTime } from "../../../ui/time.ts"
import { useWidth } from "../../../ui/use-width.ts"
import { requestMarks } from "./request-marks.ts"
import { type Bar, barPath, barsOf, type Lane, lanes } from "./timeline-bars.ts"

const colours = {
  other: "fill-ink-3",
  plan: "fill-info",
  edit: "fill-accent",
  you: "fill-need",
  error: "fill-err",
} satisfies Record<Lane, string>

/** The whole session on one line: its progress, its kinds of work over time, and a slider to any moment. */
export function Timeline() {
  const { position, total, replaying, playing, at, go, step, play, live } = useReplay()
  const connection = useSessionData((data) => data.connection)
  useCommand("previous-event", "Previous event", total > 0 ? () => step(-1) : null)
  useCommand("next-event", "Next event", replaying ? () => step(1) : null)
  useCommand("live", "Back to live", replaying ? live : null)
  useCommand("play", playing ? "Pause replay" : "Play from the beginning", total > 0 ? play : null)

  return (
    <section
      aria-label="Timeline"
      data-region="line"
      tabIndex={-1}
      className="flex h-12 items-center gap-1 border-t border-line bg-paper px-2 max-md:h-11"
    >
      <IconButton label="First event" onClick={() => go(1)} disabled={total === 0} className="max-lg:hidden">
        <SkipBack size={15} aria-hidden />
      </IconButton>
      <IconButton label="Previous event" onClick={() => step(-1)} disabled={total === 0} className="max-md:hidden">
        <StepBack size={15} aria-hidden />
      </IconButton>
      <IconButton label={playing ? "Pause" : "Play"} onClick={play} disabled={total === 0}>
        {playing ? <Pause size={15} aria-hidden /> : <Play size={15} aria-hidden />}
      </IconButton>
      <IconButton label="Next event" onClick={() => step(1)} disabled={!replaying} className="max-md:hidden">
        <StepForward size={15} aria-hidden />
      </IconButton>
      <Track position={position} total={total} at={at} go={go} />
      <span className="shrink-0 pl-1 text-right text-sm text-ink-2 nums max-md:text-xs">
        {replaying && <span className="max-md:unseen">Replay </span>}
        {position.toLocaleString()}/{total.toLocaleString()}
      </span>
      {replaying ? (
        <Button size="sm" tone="primary" onClick={live} className="max-md:min-h-8" title="Back to live (L)">
          Live
        </Button>
      ) : (
        <Status connection={connection} seq={total} />
      )}
    </section>
  )
}

interface TrackProps {
  position: number
  total: number
  at: string | undefined
  go(position: number): void
}

function Track({ position, total, at, go }: TrackProps) {
  const [ref, width] = useWidth<HTMLDivElement>()
  const firstSeq = useSessionData((data) => data.firstSeq)
  const structural = useSessionData((data) => data.structural)
  const segments = useSessionData((data) => data.segments)
  const bars = useMemo(
    () => barsOf(loadedEvents(structural, segments), { firstSeq, total }, Math.floor(width / 5)),
    [structural, segments, firstSeq, total, width],
  )
  const share = total === 0 ? 0 : position / total
  return (
    <div ref={ref} className="relative h-full min-w-0 flex-1 overflow-hidden">
      <Bars bars={bars} width={width} share={share} />
      <input
        type="range"
        min={total === 0 ? 0 : 1}
        max={total}
        value={position}
        disabled={total === 0}
        onChange={(event) => go(event.target.valueAsNumber)}
        aria-label="Timeline position"
        aria-valuetext={`Event ${position} of ${total}${at ? `, ${clockTime(at)}` : ""}`}
        className="run-line-range absolute inset-x-0 top-0 h-full w-full"
      />
      <Marks total={total} width={width} go={go} />
    </div>
  )
}

/** The requests on the line. Each leads to the moment at which it was made. */
function Marks({ total, width, go }: { total: number; width: number; go(position: number): void }) {
  const firstSeq = useSessionData((data) => data.firstSeq)
  const turns = useSessionData(({ live }) => live.conversation)
  const shown = useSessionData(({ shown }) => shown.conversation.length)
  const marks = useMemo(() => requestMarks(turns, { firstSeq, total, width }), [turns, firstSeq, total, width])
  if (marks.length === 0) return null
  return (
    <ul aria-label="Requests">
      {marks.map(({ seq, number, title, x, left }) => (
        <li key={seq}>
          <button
            type="button"
            aria-label={`Request ${number}: ${title}`}
            aria-current={number === shown ? "step" : undefined}
            title={title}
            onClick={() => go(seq - firstSeq + 1)}
            className="group absolute top-0 size-6 -outline-offset-2"
            style={{ left }}
          >
            <span
              aria-hidden
              className="absolute top-1.5 h-[18px] w-1 rounded-[1px] bg-ink group-hover:bg-accent group-aria-[current]:bg-accent"
              style={{ left: x - left }}
            />
          </button>
        </li>
      ))}
    </ul>
  )
}

/** One path per kind of work, however many events there are. */
function Bars({ bars, width, share }: { bars: (Bar | null)[]; width: number; share: number }) {
  if (width === 0) return null
  return (
    <svg aria-hidden="true" width={width} height="48" className="absolute inset-x-0 top-1/2 -translate-y-1/2">
      {lanes.map((lane) => (
        <path key={lane} d={barPath(bars, lane, width)} className={colours[lane]} />
      ))}
      <rect
        x={share * width}
        y="0"
        width={Math.max(0, width - share * width)}
        height="36"
        className="fill-paper opacity-70"
      />
      <line x1="0" x2={width} y1="37.5" y2="37.5" strokeWidth="2" className="stroke-line" />
      <line x1="0" x2={share * width} y1="37.5" y2="37.5" strokeWidth="2" className="stroke-accent" />
    </svg>
  )
}

function Status({ connection, seq }: { connection: Connection; seq: number }) {
  const { dot, text, title } = connectionLabel(connection, seq)
  return (
    <span
      role="status"
      title={title}
      className="flex h-7 shrink-0 items-center gap-1.5 rounded-md border border-line px-2 text-sm text-ink-2"
    >
      <span aria-hidden className={`size-2 rounded-full ${dot}`} />
      {text}
    </span>
  )
}

/** Describes the state of the session's stream: a label with a dot, and a longer explanation. */
function connectionLabel(connection: Connection, seq: number): { dot: string; text: string; title: string } {
  switch (connection.state) {
    case "live":
      if (connection.isPolled) {
        return { dot: "bg-ok", text: "Updates every few seconds", title: "A proxy is delaying live updates" }
      }
      return { dot: "bg-ok", text: "Live", title: "Events appear as they happen" }
    case "resting":
      return { dot: "border border-strong", text: "Idle", title: "Nothing is running, so updates are paused" }
    case "reconnecting":
      return {
        dot: "bg-need",
        text: "Reconnecting",
        title: `Disconnected. Showing the session as of event ${seq}`,
      }
    case "failed":
      return { dot: "bg-err", text: "Offline", title: connection.message }
    default:
      return { dot: "border border-strong", text: "Connecting", title: "" }
  }
}
