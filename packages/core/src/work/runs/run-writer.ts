import type { EventOf, NewEvent } from "../../events.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { Clock } from "../../time.ts"
import { asExecutor } from "./rules.ts"

/** The visit of a node that speaks; without one, the run's agent does. */
export type Speaker = Pick<EventOf<"model_text">, "node" | "iteration" | "namespace">

/** The writer of an executor: everything is fenced by its claim, and appended in the order of the calls. */
export interface RunWriter {
  /** Appends the text that was gathered and these events, as one batch. Throws `run_superseded` or `run_cancelled`. */
  write(events: NewEvent[]): Promise<void>
  /** Gathers a piece of model text; it is appended within 250 ms, or before whatever is written next. */
  say(speaker: Speaker, piece: string): void
}

const GATHER_MS = 250

/** An event holds no more, so that it stays in its record whatever the characters cost in JSON. */
const EVENT_CHARS = 5000

export function createRunWriter(deps: {
  session: SessionLog
  clock: Clock
  runId: string
  generation: number
  signal: AbortSignal
  /** Hears why text that nobody waits for could not be appended. */
  onFailure: (error: unknown) => void
}): RunWriter {
  const { session, clock, runId, generation, signal } = deps
  let gathered: { speaker: Speaker; pieces: string[]; chars: number }[] = []
  let flushing = false

  async function write(events: NewEvent[]): Promise<void> {
    const batch = [...gathered.map(textEvent), ...events]
    gathered = []
    if (batch.length > 0) await session.decide(asExecutor(runId, generation, batch), { signal })
  }

  function say(speaker: Speaker, text: string): void {
    for (const piece of cut(text)) gather(speaker, piece)
    if (gathered.length > 1) write([]).catch(deps.onFailure)
    else if (gathered.length === 1) flushSoon()
  }

  function gather(speaker: Speaker, piece: string): void {
    const last = gathered.at(-1)
    if (last && sameSpeaker(last.speaker, speaker) && last.chars + piece.length <= EVENT_CHARS) {
      last.pieces.push(piece)
      last.chars += piece.length
    } else {
      gathered.push({ speaker, pieces: [piece], chars: piece.length })
    }
  }

  function flushSoon(): void {
    if (flushing) return
    flushing = true
    const flush = async () => {
      await clock.sleep(GATHER_MS, { signal })
      flushing = false
      await write([])
    }
    flush().catch(deps.onFailure)
  }

  return { write, say }
}

/** A provider may say much at once; nothing that is one piece is cut, unless it is too long for an event. */
function cut(text: string): string[] {
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

function textEvent({ speaker, pieces }: { speaker: Speaker; pieces: string[] }): NewEvent {
  return { type: "model_text", ...speaker, text: pieces.join(""), lengths: pieces.map((piece) => piece.length) }
}

function sameSpeaker(a: Speaker, b: Speaker): boolean {
  return a.node === b.node && a.iteration === b.iteration && a.namespace?.join("|") === b.namespace?.join("|")
}
