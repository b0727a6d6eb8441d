import { EventSourceParserStream } from "eventsource-parser/stream"
import type { ConnectionUpdate } from "./connection-update.ts"
import { createWatchdog, SILENCE_MS } from "./watchdog.ts"

export interface SseDeps {
  fetch: typeof fetch
  /** Resolves after `ms`, or sooner if the network is back. */
  pause(ms: number, options: { signal: AbortSignal }): Promise<void>
  random(): number
}

const CONNECT_WITHIN_MS = 10_000

/**
 * One connection, until it ends. Throws if it breaks, falls silent, or can't be made. `onHeard` is called for all bytes
 * that arrive, keep-alives too.
 */
export async function* openStream(
  deps: SseDeps,
  url: string,
  { onHeard, signal }: { onHeard(): void; signal: AbortSignal },
): AsyncGenerator<ConnectionUpdate> {
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
    for await (const { event = "", data: json } of iterate(frames)) {
      yield { type: "frame", frame: { event, data: parsed(json) }, size: json.length }
    }
    // A proxy answered, not the server: that begins each stream with a `retry` line.
    if (silent) throw new Error("The server sent nothing.")
  } finally {
    silence.stop()
  }
}

/** Statuses for which a retry is of no use. */
const REFUSALS = [401, 404, 410]

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
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
