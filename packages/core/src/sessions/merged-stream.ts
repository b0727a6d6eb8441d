import { randomUUID } from "node:crypto"
import { announceViewer, type ViewerDeps } from "../agents/runner/viewers.ts"
import type { TerminalEvent, TerminalFrame } from "../agents/terminals/schema.ts"
import { type KnownTerminal, terminalsSince } from "../agents/terminals/terminal-index.ts"
import { viewTerminal } from "../agents/terminals/terminal-log.ts"
import { AppError, isAppError } from "../errors.ts"
import { logName, terminalLogName } from "../kernel/keys.ts"
import type { SessionHandle } from "../kernel/session-handle.ts"
import { type LogReader, openLogReader } from "../log/log-reader.ts"
import { isOutOfReach, reach, tellEvent } from "./event-page.ts"
import type { ToldEvent } from "./schema.ts"

/** The place of a reader: in the session's log, and in the terminal that was opened last before that. */
export interface MergedCursor {
  seq: number
  offset: number | undefined
}

/** A frame for a reader. `id` is the reader's place after it. */
export type Merged =
  | "quiet"
  | "resync"
  | { id: string; event: ToldEvent }
  | { id: string; pty: string; frame: TerminalFrame }
  /** The last screen of a terminal that was over before the reader came. */
  | { id: string; pty: string; screen: string }

export function readCursor(text: string | undefined): MergedCursor {
  if (text === undefined || text === "") return { seq: 0, offset: undefined }
  const [, seq, offset] = /^(\d{1,15})(?:\.(\d{1,15}))?$/.exec(text) ?? []
  if (seq !== undefined) return { seq: Number(seq), offset: offset === undefined ? undefined : Number(offset) }
  throw new AppError("validation_error", "A cursor is the id of a frame of this stream.", {
    cursor: text.slice(0, 100),
  })
}

/** The terminal that a reader sees, and its frames that aren't sent yet. */
interface Shown {
  pty: string
  reader: LogReader<TerminalEvent>
  show(event: TerminalEvent): Promise<TerminalFrame[]>
  /** `round`: in which round it was read. */
  held: { frame: TerminalFrame; round: number }[]
  /** True once everything was read that stood in the terminal's log when the session's was read last. */
  isRead: boolean
  release(): void
}

const PAGE = 200

/**
 * A session's events and its newest terminal's output, in the order in which they were written, as far as the logs say it:
 *
 * - A frame is sent after the event that it names as `after`.
 * - An event is sent after each frame that was in the terminal's log when the event was read, and that names an earlier one.
 *
 * The order of reading does it. A runner appends bytes only once the event before them is in the session's log, and lets what
 * a watched terminal shows come to its log before it appends an event. So each round reads the session's log, and then the
 * terminal's before an event is sent. No frame waits for ever: if the session's log, read to its head after the frame, hasn't
 * the event, it never will (it was of another life, or is forgotten), and the frame is sent. Bytes that come to their log after
 * a later event (nobody watched; the event was another writer's) are sent as they come, and their `after` tells.
 */
export async function* followMerged(
  deps: ViewerDeps,
  session: SessionHandle,
  cursor: MergedCursor,
  { signal, client = randomUUID() }: { signal: AbortSignal; client?: string },
): AsyncGenerator<Merged> {
  if (isOutOfReach(session.state, cursor.seq)) {
    yield "resync"
    return
  }
  const known = await terminalsSince(deps, session, cursor.seq, { signal })
  const newest = known.at(-1)?.view.pty
  /** Those whose bytes nobody replays: their last screen says it. */
  const over = new Set(known.filter(({ view }) => !view.open && view.pty !== newest).map(({ view }) => view.pty))
  let { seq, offset } = cursor
  let terminal: Shown | undefined
  let round = 0
  const from = Math.max(seq, reach(session.state).first - 1)
  const log = openLogReader(deps, logName(session.sid), from, { signal })
  const place = () => (offset === undefined ? String(seq) : `${seq}.${offset}`)

  async function attach(pty: string, at: number | undefined): Promise<Shown> {
    const { since, show } = await viewTerminal(deps, session.sid, pty, { offset: at, signal })
    const reader = openLogReader(deps, terminalLogName(session.sid, pty), since, { signal })
    return { pty, reader, show, held: [], isRead: false, release: announceViewer(deps, session, pty, client) }
  }
  async function detach(): Promise<void> {
    const leaving = terminal
    terminal = undefined
    leaving?.release()
    await leaving?.reader.close()
  }
  /** Sends the terminal's frames up to the first that isn't due. */
  async function* frames(isDue: (held: Shown["held"][number]) => boolean): AsyncGenerator<Merged> {
    while (terminal && !signal.aborted) {
      const [first] = terminal.held
      if (!first) {
        if (terminal.isRead) return
        await readFrames(terminal)
        continue
      }
      if (!isDue(first)) return
      terminal.held.shift()
      offset = first.frame.offset
      yield { id: place(), pty: terminal.pty, frame: first.frame }
      if (first.frame.type === "ended") await detach()
    }
  }
  async function readFrames(shown: Shown): Promise<void> {
    const events = await shown.reader.readOn(PAGE)
    shown.isRead = events.length < PAGE
    for (const event of events) for (const frame of await shown.show(event)) shown.held.push({ frame, round })
  }
  /** Sends an event, and with it what becomes of the terminals. */
  async function* sent(event: ToldEvent): AsyncGenerator<Merged> {
    const { type, pty } = event
    const opened = type === "terminal_opened" && typeof pty === "string" ? pty : undefined
    const follows = opened !== undefined && opened !== terminal?.pty && !over.has(opened)
    if (follows) await detach()
    seq = event.seq
    if (opened !== undefined) offset = undefined
    yield { id: place(), event }
    if (follows) terminal = await attach(opened, undefined)
    if (type === "terminal_output" && typeof pty === "string" && over.has(pty)) {
      yield { id: place(), pty, screen: String(event.data) }
    }
  }

  try {
    const first = terminalAt(known, seq)
    if (first && (offset !== undefined || first === newest)) terminal = await attach(first, offset)
    while (!signal.aborted) {
      round++
      const events = await log.readOn(PAGE)
      if (terminal) terminal.isRead = false
      for (const event of events) {
        yield* frames(({ frame }) => frame.after < event.seq)
        if (signal.aborted) return
        yield* sent(await tellEvent(deps, session, event, { signal }))
        if (event.type === "session_deleted") return
      }
      if (events.length === PAGE) continue
      yield* frames((held) => held.frame.after <= seq || held.round < round)
      // Frames that were read after the events may be of a moment that those don't reach.
      while (!signal.aborted && !terminal?.held.length) {
        const more = log.news().then((news) => ({ of: "session", news }))
        const shown = terminal?.reader.news().then((news) => ({ of: "terminal", news }))
        const { of, news } = await Promise.race(shown ? [more, shown] : [more])
        if (signal.aborted) return
        if (of === "session" && news === "quiet") yield "quiet"
        if (of === "session") break
        if (terminal) terminal.isRead = false
        yield* frames(({ frame }) => frame.after <= seq)
      }
    }
  } catch (error) {
    if (signal.aborted) return
    // The session was deleted and opened again while nobody read here.
    if (!isAppError(error, "resync")) throw error
    yield "resync"
  } finally {
    await detach()
    await log.close()
  }
}

/** The terminal that a reader at this event sees. */
function terminalAt(known: KnownTerminal[], seq: number): string | undefined {
  return known.findLast(({ openedSeq }) => openedSeq <= seq)?.view.pty
}
