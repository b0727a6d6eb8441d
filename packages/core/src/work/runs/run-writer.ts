import type { EventOf, NewEvent } from "../../events.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { Clock } from "../../time.ts"
import { appendAsExecutor } from "./rules.ts"

/** The node visit whose model emits text. Empty if the text comes from the run's agent. */
export type NodeRef = Pick<EventOf<"model_text">, "node" | "iteration" | "namespace">

/**
 * Part of a file's text. `offset` counts from the start of the file or, in an edit, from the start of the edit's text.
 */
export type FileText = Pick<EventOf<"file_text">, "path" | "offset" | "text"> & { edit?: EditPlace }

/** Position of an edit in a file. */
export type EditPlace = Pick<EventOf<"file_edit_text">, "base" | "edit" | "at" | "removed">

/** Writer of an executor. All appends are fenced by the claim, and are made in the order of the calls. */
export type RunWriter = ReturnType<typeof createRunWriter>

const FLUSH_AFTER_MS = 250
const FLUSH_FILE_START_AFTER_MS = 50
const FLUSH_FILE_AFTER_MS = 2000
/** Number of buffered characters at which the text of a file is appended as quickly as other text. */
const FILE_CHARS = 256

/** Maximum length of the text in one event. Even after JSON escaping, the event fits into a record. */
const EVENT_CHARS = 5000

type Buffered = { speaker: NodeRef } & (
  | { type: "model_text"; pieces: string[]; chars: number }
  | ({ type: "file_text" } & FileText)
  | { type: "model_reasoning"; chars: number }
)

export function createRunWriter(deps: {
  session: SessionLog
  clock: Clock
  runId: string
  generation: number
  signal: AbortSignal
  /** Receives the errors of appends that no caller awaits. */
  onFailure: (error: unknown) => void
}) {
  const { session, clock, runId, generation, signal } = deps
  let buffered: Buffered[] = []
  let nextFlushAt = Number.POSITIVE_INFINITY

  /** Appends the buffered text and these events as one batch. Throws `run_superseded` or `run_cancelled`. */
  async function write(events: NewEvent[]): Promise<void> {
    const batch = [...buffered.map(toEvent), ...events]
    buffered = []
    if (batch.length > 0) await session.decide(appendAsExecutor(runId, generation, batch), { signal })
  }

  /** Buffers a piece of model text. It is appended within 250 ms, or with the next `write`. */
  function emitText(speaker: NodeRef, text: string): void {
    for (const piece of splitText(text)) {
      const last = lastOf(speaker)
      if (last?.type === "model_text" && last.chars + piece.length <= EVENT_CHARS) {
        last.pieces.push(piece)
        last.chars += piece.length
      } else buffered.push({ type: "model_text", speaker, pieces: [piece], chars: piece.length })
    }
    if (text !== "") flushWithin(FLUSH_AFTER_MS)
  }

  /**
   * Buffers part of a file that is being written. The beginning of the file is appended within 50 ms. The rest is
   * appended only every few hundred characters or every two seconds, because files are large and the commit will
   * contain their text anyway.
   */
  function emitFileText(speaker: NodeRef, { offset, text, ...place }: FileText): void {
    let at = offset
    // Also emit an edit that only deletes, although it has no text.
    for (const piece of text === "" ? [""] : splitText(text)) {
      bufferFileText(speaker, { ...place, offset: at, text: piece })
      at += piece.length
    }
    const waiting = lastOf(speaker)
    if (waiting?.type !== "file_text") return
    if (waiting.offset === 0) flushWithin(FLUSH_FILE_START_AFTER_MS)
    else flushWithin(waiting.text.length < FILE_CHARS ? FLUSH_FILE_AFTER_MS : FLUSH_AFTER_MS)
  }

  function bufferFileText(speaker: NodeRef, part: FileText): void {
    const last = lastOf(speaker)
    const continues =
      last?.type === "file_text" && isSamePlace(last, part) && last.offset + last.text.length === part.offset
    if (continues && last.text.length + part.text.length <= EVENT_CHARS) last.text += part.text
    else buffered.push({ type: "file_text", speaker, ...part })
  }

  /** Buffers the number of characters of a model's reasoning so far. It is appended at the same intervals as text. */
  function emitReasoning(speaker: NodeRef, chars: number): void {
    const last = lastOf(speaker)
    if (last?.type === "model_reasoning") last.chars = chars
    else buffered.push({ type: "model_reasoning", speaker, chars })
    flushWithin(FLUSH_AFTER_MS)
  }

  /**
   * Returns the speaker's last entry. It may be followed by entries of other speakers, because order matters only
   * within one speaker.
   */
  function lastOf(speaker: NodeRef): Buffered | undefined {
    return buffered.findLast((entry) => isSameNode(entry.speaker, speaker))
  }

  function flushWithin(ms: number): void {
    const at = clock.monotonic() + ms
    if (at >= nextFlushAt) return
    nextFlushAt = at
    const flush = async () => {
      await clock.sleep(ms, { signal })
      // A flush that is due earlier has replaced this flush.
      if (nextFlushAt !== at) return
      nextFlushAt = Number.POSITIVE_INFINITY
      await write([])
    }
    flush().catch(deps.onFailure)
  }

  return { write, emitText, emitFileText, emitReasoning }
}

/** Splits text into pieces that fit into one event each. */
function splitText(text: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + EVENT_CHARS)
    // Keep surrogate pairs together.
    if (to < text.length && /[\uD800-\uDBFF]/.test(text[to - 1] ?? "")) to--
    pieces.push(text.slice(from, to))
    from = to
  }
  return pieces
}

function toEvent(entry: Buffered): NewEvent {
  if (entry.type === "model_text") {
    const { type, speaker, pieces } = entry
    return { type, ...speaker, text: pieces.join(""), lengths: pieces.map((piece) => piece.length) }
  }
  const { speaker, ...payload } = entry
  if (payload.type !== "file_text" || payload.edit === undefined) return { ...speaker, ...payload }
  const { edit, ...part } = payload
  return { ...speaker, ...part, ...edit, type: "file_edit_text" }
}

function isSamePlace(a: FileText, b: FileText): boolean {
  return a.path === b.path && a.edit?.base === b.edit?.base && a.edit?.edit === b.edit?.edit
}

function isSameNode(a: NodeRef, b: NodeRef): boolean {
  return a.node === b.node && a.iteration === b.iteration && a.namespace?.join("|") === b.namespace?.join("|")
}
