import type { EventOf, NewEvent } from "../../events.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { Clock } from "../../time.ts"
import { asExecutor } from "./rules.ts"

/** The visit of a node whose model emits text; empty for the run's agent. */
export type NodeRef = Pick<EventOf<"model_text">, "node" | "iteration" | "namespace">

/** The writer of an executor: everything is fenced by its claim, and appended in the order of the calls. */
export interface RunWriter {
  /** Appends the buffered text and these events, as one batch. Throws `run_superseded` or `run_cancelled`. */
  write(events: NewEvent[]): Promise<void>
  /** Buffers a piece of model text; it is appended within 250 ms, or before the next `write`. */
  emitText(speaker: NodeRef, piece: string): void
}

const FLUSH_AFTER_MS = 250

/** The limit of one event, so that it fits its record whatever the characters take in JSON. */
const EVENT_CHARS = 5000

export function createRunWriter(deps: {
  session: SessionLog
  clock: Clock
  runId: string
  generation: number
  signal: AbortSignal
  /** Called with the errors of appends that no caller waits for. */
  onFailure: (error: unknown) => void
}): RunWriter {
  const { session, clock, runId, generation, signal } = deps
  let buffered: { speaker: NodeRef; pieces: string[]; chars: number }[] = []
  let flushing = false

  async function write(events: NewEvent[]): Promise<void> {
    const batch = [...buffered.map(textEvent), ...events]
    buffered = []
    if (batch.length > 0) await session.decide(asExecutor(runId, generation, batch), { signal })
  }

  function emitText(speaker: NodeRef, text: string): void {
    for (const piece of splitText(text)) bufferPiece(speaker, piece)
    if (buffered.length > 0) flushSoon()
  }

  function bufferPiece(speaker: NodeRef, piece: string): void {
    const last = buffered.at(-1)
    if (last && isSameNode(last.speaker, speaker) && last.chars + piece.length <= EVENT_CHARS) {
      last.pieces.push(piece)
      last.chars += piece.length
    } else {
      buffered.push({ speaker, pieces: [piece], chars: piece.length })
    }
  }

  function flushSoon(): void {
    if (flushing) return
    flushing = true
    const flush = async () => {
      await clock.sleep(FLUSH_AFTER_MS, { signal })
      flushing = false
      await write([])
    }
    flush().catch(deps.onFailure)
  }

  return { write, emitText }
}

/** Splits a piece that is too long for one event. */
function splitText(text: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + EVENT_CHARS)
    // Not between the two halves of a character.
    if (to < text.length && /[\uD800-\uDBFF]/.test(text[to - 1] ?? "")) to--
    pieces.push(text.slice(from, to))
    from = to
  }
  return pieces
}

function textEvent({ speaker, pieces }: { speaker: NodeRef; pieces: string[] }): NewEvent {
  return { type: "model_text", ...speaker, text: pieces.join(""), lengths: pieces.map((piece) => piece.length) }
}

function isSameNode(a: NodeRef, b: NodeRef): boolean {
  return a.node === b.node && a.iteration === b.iteration && a.namespace?.join("|") === b.namespace?.join("|")
}
