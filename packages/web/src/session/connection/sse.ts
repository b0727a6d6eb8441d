import type { ConnectionUpdate } from "./connection-update.ts"
import { createMessageParser } from "./message-parser.ts"
import { createWatchdog, SILENCE_MS } from "./watchdog.ts"

export interface SseDeps {
  fetch: typeof fetch
  /** Resolves after `ms`, or earlier if the network comes back. */
  pause(ms: number, options: { signal: AbortSignal }): Promise<void>
  random(): number
}

const CONNECT_WITHIN_MS = 10_000

/**
 * Opens a stream and yields its updates until it ends. Throws if it breaks, falls silent, or can't be opened. Counts as
 * open only once its first bytes arrive, because a proxy may send just the headers. `onHeard` is called for all bytes
 * received, including keep-alives.
 */
export async function* openStream(
  deps: SseDeps,
  url: string,
  { onHeard, signal }: { onHeard(): void; signal: AbortSignal },
): AsyncGenerator<ConnectionUpdate> {
  let isOpen = false
  const silence = createWatchdog(CONNECT_WITHIN_MS)
  try {
    const response = await deps.fetch(url, {
      headers: { accept: "text/event-stream" },
      signal: AbortSignal.any([signal, silence.signal]),
      cache: "no-store",
    })
    if (REFUSALS.includes(response.status)) return yield { type: "refused", status: response.status }
    if (!response.ok || !response.body) throw new Error(`The server responded with status ${response.status}.`)
    const parse = createMessageParser()
    for await (const text of iterate(response.body.pipeThrough(new TextDecoderStream()))) {
      silence.reset(SILENCE_MS)
      onHeard()
      if (!isOpen) yield { type: "opened" }
      isOpen = true
      for (const { event, data: json } of parse(text)) {
        yield { type: "frame", frame: { event, data: parsed(json) }, size: json.length }
      }
    }
    // The response came from a proxy: the server begins every stream with a `retry` line.
    if (!isOpen) throw new Error("The server sent no data.")
  } finally {
    silence.stop()
  }
}

/** Statuses for which retrying is pointless. */
const REFUSALS = [401, 404, 410]

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Not all browsers support iterating over a stream. */
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
