import { randomUUID } from "node:crypto"
import { AppError } from "@switchyard/core/errors"
import { followSession } from "@switchyard/core/sessions/follow"
import type { FoundSession } from "@switchyard/core/sessions/listing"
import type { ToldEvent } from "@switchyard/core/sessions/schema"
import { type KnownTerminal, terminalsSince } from "@switchyard/core/terminals/list"
import type { TerminalFrame } from "@switchyard/core/terminals/schema"
import { attachTerminal } from "@switchyard/core/terminals/terminal-log"
import type { AppDeps } from "../deps.ts"
import { watched } from "./terminal-stream.ts"

/** Where a reader of a session and its terminal is: in the log, and in the terminal that was opened last before that. */
export interface MergedCursor {
  seq: number
  offset: number | undefined
}

/** What a reader is told. `id` is where it is afterwards. */
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

interface Attached {
  pty: string
  frames: AsyncGenerator<TerminalFrame | { type: "heartbeat" }>
  next: Promise<IteratorResult<TerminalFrame | { type: "heartbeat" }>>
  release: () => void
}

/** So long a terminal whose successor is there already may go on to tell its last bytes. */
const DRAIN_MS = 2000

/** A session's events and its newest terminal's output, as they come. */
export async function* followMerged(
  deps: AppDeps,
  session: FoundSession,
  cursor: MergedCursor,
  { signal, client = randomUUID() }: { signal: AbortSignal; client?: string },
): AsyncGenerator<Merged> {
  const known = await terminalsSince(deps, session, cursor.seq, { signal })
  const newest = known.at(-1)?.view.pty
  /** Those whose bytes nobody replays: their last screen says it. */
  const over = new Set(known.filter(({ view }) => !view.open && view.pty !== newest).map(({ view }) => view.pty))
  const left = new AbortController()
  const ended = AbortSignal.any([signal, left.signal])
  let { seq, offset } = cursor
  let terminal: Attached | undefined
  const place = () => (offset === undefined ? String(seq) : `${seq}.${offset}`)

  function attach(pty: string, from: number | undefined): Attached {
    const frames = attachTerminal(deps, session.sid, pty, { offset: from, signal: ended })
    return { pty, frames, next: frames.next(), release: watched(deps, session, pty, client) }
  }
  async function detach(): Promise<void> {
    const leaving = terminal
    terminal = undefined
    leaving?.release()
  }
  function* shown(attached: Attached, frame: TerminalFrame | { type: "heartbeat" }): Generator<Merged> {
    if (frame.type === "heartbeat") return
    offset = frame.offset
    yield { id: place(), pty: attached.pty, frame }
  }
  /** What the terminal still has to tell before another takes its place. */
  async function* drained(attached: Attached): AsyncGenerator<Merged> {
    const enough = deps.clock.sleep(DRAIN_MS, { signal: ended }).catch(() => undefined)
    for (;;) {
      const next = await Promise.race([attached.next, enough])
      if (!next || next.done) return
      yield* shown(attached, next.value)
      if (next.value.type === "ended") return
      attached.next = attached.frames.next()
    }
  }

  const first = terminalAt(known, seq)
  if (first && (offset !== undefined || first === newest)) terminal = attach(first, offset)
  const log = followSession(deps, session, seq, { signal: ended })
  let nextEvent = log.next()
  try {
    for (;;) {
      const news = await Promise.race([
        nextEvent.then((event) => ({ event })),
        ...(terminal ? [terminal.next.then((frame) => ({ frame }))] : []),
      ])
      if ("frame" in news) {
        if (!terminal) continue
        if (!news.frame.done) yield* shown(terminal, news.frame.value)
        const last = news.frame.done || news.frame.value.type === "ended"
        if (last) await detach()
        else terminal.next = terminal.frames.next()
        continue
      }
      if (news.event.done) return
      const told = news.event.value
      nextEvent = log.next()
      if (told === "quiet" || told === "resync") {
        yield told
        continue
      }
      const opened = told.type === "terminal_opened" && typeof told.pty === "string" ? told.pty : undefined
      const follows = opened !== undefined && opened !== terminal?.pty && !over.has(opened)
      if (follows && terminal) {
        yield* drained(terminal)
        await detach()
      }
      seq = told.seq
      if (opened !== undefined) offset = undefined
      yield { id: place(), event: told }
      if (follows) terminal = attach(opened, undefined)
      const { pty, data } = told
      if (told.type === "terminal_output" && typeof pty === "string" && over.has(pty)) {
        yield { id: place(), pty, screen: String(data) }
      }
    }
  } finally {
    left.abort()
    await detach()
    await Promise.allSettled([nextEvent])
    await log.return(undefined)
  }
}

/** The terminal that a reader at this event sees. */
function terminalAt(known: KnownTerminal[], seq: number): string | undefined {
  return known.findLast(({ openedSeq }) => openedSeq <= seq)?.view.pty
}
