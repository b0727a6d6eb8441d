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

/** A client's position in the session's log, and in the newest terminal opened before that position. */
export interface MergedCursor {
  seq: number
  offset: number | undefined
}

/** Frame for a client. `id` is the client's cursor after it has received the frame. */
export type MergedFrame =
  | "quiet"
  | "resync"
  | { id: string; event: ApiEvent }
  | { id: string; pty: string; frame: TerminalFrame }
  /** Last screen of a terminal that ended before the client attached. */
  | { id: string; pty: string; screen: string }

export function parseMergedCursor(text: string | undefined): MergedCursor {
  if (text === undefined || text === "") return { seq: 0, offset: undefined }
  const [, seq, offset] = /^(\d{1,15})(?:\.(\d{1,15}))?$/.exec(text) ?? []
  if (seq !== undefined) return { seq: Number(seq), offset: offset === undefined ? undefined : Number(offset) }
  throw new AppError("validation_error", "The cursor must be the ID of a frame in this stream.", {
    cursor: text.slice(0, 100),
  })
}

/** Terminal that a client is viewing, with the frames that haven't been sent yet. */
interface AttachedTerminal {
  pty: string
  reader: LogReader<TerminalEvent>
  show(event: TerminalEvent): Promise<TerminalFrame[]>
  /** Frames that were read but not sent yet. `round` is the round that read the frame. */
  buffered: { frame: TerminalFrame; round: number }[]
  /** True if the terminal's log has been read to its end since the last read of the session's log. */
  isRead: boolean
  release(): void
}

const PAGE = 200

/**
 * Yields a session's events and its newest terminal's output in the order in which they were written, as far as the
 * logs show it:
 *
 * - A frame is sent after the event that its `after` field names.
 * - If a frame belongs after an earlier event, it is sent before the next event, provided that it was in the terminal's
 *   log when that event was read.
 *
 * The order of writes and reads guarantees this. A runner writes an event to the session's log before it writes the
 * output that follows the event, and it writes a watched terminal's output before the next event. Each round therefore
 * reads the session's log first and the terminal's log second, before it sends an event.
 *
 * Frames never wait forever. Suppose that the session's log is read to its end after a frame was read, and still
 * doesn't contain the event that the frame's `after` field names. Then it never will, because the event belonged to
 * another incarnation or was forgotten. In this case, the frame is sent.
 *
 * Some output is logged after a later event, because the terminal wasn't being watched or another writer appended the
 * event. Such output is sent as it arrives, and its `after` field shows where it belongs.
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
  /** Terminals that have ended. Only their last screens are sent. */
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
  /** Sends the terminal's frames, up to the first frame that isn't due yet. */
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
  /** Sends an event. If the event opens a terminal, switches to that terminal. */
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
      // Wait only if no frames are buffered. Otherwise, read the session's log again, because buffered frames may
      // belong after later events.
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
    // The session was deleted and reopened between two reads.
    if (!isAppError(error, "resync")) throw error
    yield "resync"
  } finally {
    await detach()
    await log.close()
  }
}

/** Returns the terminal that a client views when its cursor is at this event. */
function terminalAt(known: IndexedTerminal[], seq: number): string | undefined {
  return known.findLast(({ openedSeq }) => openedSeq <= seq)?.view.pty
}
