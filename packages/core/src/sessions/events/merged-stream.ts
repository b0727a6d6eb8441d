import { randomUUID } from "node:crypto"
import { announceViewer, type ViewerDeps } from "../../agents/runner/viewers.ts"
import type { TerminalEvent, TerminalFrame } from "../../agents/terminals/schema.ts"
import { type IndexedTerminal, terminalsSince } from "../../agents/terminals/terminal-index.ts"
import { viewTerminal } from "../../agents/terminals/terminal-log.ts"
import { AppError, isAppError } from "../../errors.ts"
import { logName, terminalLogName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import { type LogReader, openLogReader } from "../../log/log-reader.ts"
import type { ApiEvent } from "../schema.ts"
import { isOutOfRange, seqRange, toApiEvent } from "./event-page.ts"

/** The position of a client: in the session's log, and in the terminal that was opened last before that. */
export interface MergedCursor {
  seq: number
  offset: number | undefined
}

/** A frame for a client. `id` is the client's cursor after it. */
export type MergedFrame =
  | "quiet"
  | "resync"
  | { id: string; event: ApiEvent }
  | { id: string; pty: string; frame: TerminalFrame }
  /** The last screen of a terminal that had ended before the client attached. */
  | { id: string; pty: string; screen: string }

export function parseMergedCursor(text: string | undefined): MergedCursor {
  if (text === undefined || text === "") return { seq: 0, offset: undefined }
  const [, seq, offset] = /^(\d{1,15})(?:\.(\d{1,15}))?$/.exec(text) ?? []
  if (seq !== undefined) return { seq: Number(seq), offset: offset === undefined ? undefined : Number(offset) }
  throw new AppError("validation_error", "The cursor must be the id of a frame of this stream.", {
    cursor: text.slice(0, 100),
  })
}

/** The terminal that a client views, and its frames that aren't sent yet. */
interface AttachedTerminal {
  pty: string
  reader: LogReader<TerminalEvent>
  show(event: TerminalEvent): Promise<TerminalFrame[]>
  /** `round`: in which round it was read. */
  buffered: { frame: TerminalFrame; round: number }[]
  /** True once the terminal's log was read as far as it was when the session's log was read last. */
  isRead: boolean
  release(): void
}

const PAGE = 200

/**
 * A session's events and its newest terminal's output, in the order in which they were written, as far as the logs have it:
 *
 * - A frame is sent after the event that it names as `after`.
 * - An event is sent after each frame that was in the terminal's log when the event was read, and that names an earlier one.
 *
 * The order of reading ensures it. A runner appends bytes only once the event before them is in the session's log, and
 * appends the output of a watched terminal before it appends an event. So each round reads the session's log, and then the
 * terminal's before an event is sent. No frame waits for ever: if the session's log, read to its head after the frame, hasn't
 * the event, it never will (it was of another life, or is forgotten), and the frame is sent. Bytes that come to their log after
 * a later event (nobody watched; the event was another writer's) are sent as they come, and their `after` tells.
 */
export async function* followMerged(
  deps: ViewerDeps,
  session: SessionHandle,
  cursor: MergedCursor,
  { signal, client = randomUUID() }: { signal: AbortSignal; client?: string },
): AsyncGenerator<MergedFrame> {
  if (isOutOfRange(session.state, cursor.seq)) {
    yield "resync"
    return
  }
  const known = await terminalsSince(deps, session, cursor.seq, { signal })
  const newest = known.at(-1)?.view.pty
  /** Ended terminals, of which only the last screen is sent. */
  const ended = new Set(known.filter(({ view }) => !view.open && view.pty !== newest).map(({ view }) => view.pty))
  let { seq, offset } = cursor
  let terminal: AttachedTerminal | undefined
  let round = 0
  const from = Math.max(seq, seqRange(session.state).first - 1)
  const log = openLogReader(deps, logName(session.sid), from, { signal })
  const cursorId = () => (offset === undefined ? String(seq) : `${seq}.${offset}`)

  async function attach(pty: string, at: number | undefined): Promise<AttachedTerminal> {
    const { since, show } = await viewTerminal(deps, session.sid, pty, { offset: at, signal })
    const reader = openLogReader(deps, terminalLogName(session.sid, pty), since, { signal })
    return { pty, reader, show, buffered: [], isRead: false, release: announceViewer(deps, session, pty, client) }
  }
  async function detach(): Promise<void> {
    const detached = terminal
    terminal = undefined
    detached?.release()
    await detached?.reader.close()
  }
  /** Sends the terminal's frames up to the first that isn't due. */
  async function* frames(isDue: (item: AttachedTerminal["buffered"][number]) => boolean): AsyncGenerator<MergedFrame> {
    while (terminal && !signal.aborted) {
      const [first] = terminal.buffered
      if (!first) {
        if (terminal.isRead) return
        await readFrames(terminal)
        continue
      }
      if (!isDue(first)) return
      terminal.buffered.shift()
      offset = first.frame.offset
      yield { id: cursorId(), pty: terminal.pty, frame: first.frame }
      if (first.frame.type === "ended") await detach()
    }
  }
  async function readFrames(attached: AttachedTerminal): Promise<void> {
    const events = await attached.reader.readMore(PAGE)
    attached.isRead = events.length < PAGE
    for (const event of events) for (const frame of await attached.show(event)) attached.buffered.push({ frame, round })
  }
  /** Sends an event, and switches to a terminal that it opens. */
  async function* sendEvent(event: ApiEvent): AsyncGenerator<MergedFrame> {
    const { type, pty } = event
    const opened = type === "terminal_opened" && typeof pty === "string" ? pty : undefined
    const follows = opened !== undefined && opened !== terminal?.pty && !ended.has(opened)
    if (follows) await detach()
    seq = event.seq
    if (opened !== undefined) offset = undefined
    yield { id: cursorId(), event }
    if (follows) terminal = await attach(opened, undefined)
    if (type === "terminal_output" && typeof pty === "string" && ended.has(pty)) {
      yield { id: cursorId(), pty, screen: String(event.data) }
    }
  }

  try {
    const first = terminalAt(known, seq)
    if (first && (offset !== undefined || first === newest)) terminal = await attach(first, offset)
    while (!signal.aborted) {
      round++
      const events = await log.readMore(PAGE)
      if (terminal) terminal.isRead = false
      for (const event of events) {
        yield* frames(({ frame }) => frame.after < event.seq)
        if (signal.aborted) return
        yield* sendEvent(await toApiEvent(deps, session, event, { signal }))
        if (event.type === "session_deleted") return
      }
      if (events.length === PAGE) continue
      yield* frames((item) => item.frame.after <= seq || item.round < round)
      // Frames that were read after the events may be of a moment that those don't reach.
      while (!signal.aborted && !terminal?.buffered.length) {
        const more = log.waitForMore().then((outcome) => ({ of: "session", outcome }))
        const terminalOutcome = terminal?.reader.waitForMore().then((outcome) => ({ of: "terminal", outcome }))
        const { of, outcome } = await Promise.race(terminalOutcome ? [more, terminalOutcome] : [more])
        if (signal.aborted) return
        if (of === "session" && outcome === "quiet") yield "quiet"
        if (of === "session") break
        if (terminal) terminal.isRead = false
        yield* frames(({ frame }) => frame.after <= seq)
      }
    }
  } catch (error) {
    if (signal.aborted) return
    // The session was deleted and opened again between two reads.
    if (!isAppError(error, "resync")) throw error
    yield "resync"
  } finally {
    await detach()
    await log.close()
  }
}

/** The terminal that a client at this event views. */
function terminalAt(known: IndexedTerminal[], seq: number): string | undefined {
  return known.findLast(({ openedSeq }) => openedSeq <= seq)?.view.pty
}
