import type { EventSourceMessage } from "eventsource-parser"
import { EventSourceParserStream } from "eventsource-parser/stream"

export interface SseDeps {
  fetch: typeof fetch
  /** Resolves after `ms`, or sooner if the network is back. */
  pause(ms: number, options: { signal: AbortSignal }): Promise<void>
  random(): number
}

export type SseUpdate =
  | { type: "opened" }
  | { type: "frame"; frame: EventSourceMessage }
  /** The server responded with this status instead of a stream. */
  | { type: "refused"; status: number }

const CONNECT_WITHIN_MS = 10_000
/** The server sends a keep-alive every 15 s. After three missing ones the connection is dead, whatever the socket's state. */
const SILENCE_MS = 45_000

/**
 * One connection, until it ends. Throws if it breaks, falls silent, or can't be made. `onHeard` is called for all bytes
 * that arrive, keep-alives too.
 */
export async function* openStream(
  deps: SseDeps,
  url: string,
  { onHeard, signal }: { onHeard(): void; signal: AbortSignal },
): AsyncGenerator<SseUpdate> {
  let silent = true
  const silence = createWatchdog(CONNECT_WITHIN_MS)
  try {
    const response = await deps.fetch(url, {
      headers: { accept: "text/event-stream" },
      signal: AbortSignal.any([signal, silence.signal]),
      cache: "no-store",
    })
    if (REFUSALS.includes(response.status)) return yield { type: "refused", status: response.status }
    if (!response.ok || !response.body) throw new Error(`The server responded with status ${response.status}.`)
    silence.reset(SILENCE_MS)
    yield { type: "opened" }
    const notice = () => {
      silent = false
      silence.reset(SILENCE_MS)
      onHeard()
    }
    const bytes = response.body.pipeThrough(withCallback(notice))
    const frames = bytes.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
    for await (const frame of iterate(frames)) yield { type: "frame", frame }
    // A proxy answered, not the server: that begins each stream with a `retry` line.
    if (silent) throw new Error("The server sent nothing.")
  } finally {
    silence.stop()
  }
}

/** Statuses for which a retry is of no use. */
const REFUSALS = [401, 404, 410]

/** Aborts when it isn't reset in time. */
function createWatchdog(ms: number) {
  const controller = new AbortController()
  const bite = () => controller.abort(new Error("The server sent nothing."))
  let timer = setTimeout(bite, ms)
  const stop = () => clearTimeout(timer)
  const reset = (next: number) => {
    stop()
    timer = setTimeout(bite, next)
  }
  return { signal: controller.signal, stop, reset }
}

function withCallback(onChunk: () => void) {
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      onChunk()
      controller.enqueue(chunk)
    },
  })
}

/** Some browsers can't iterate over a stream. */
async function* iterate<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
