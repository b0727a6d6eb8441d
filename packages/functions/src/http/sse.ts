import type { Context } from "hono"
import { streamSSE } from "hono/streaming"

/** One frame, or a comment that only keeps proxies awake. */
export type SseFrame = { id?: string; event: string; data: unknown } | "quiet"

const RETRY_MS = 1000

/**
 * Streams frames until they end, the reader leaves, or the signal aborts. The source hears of both by its own signal, and
 * is left by `return`, so its `finally` runs.
 */
export function sendEvents(
  c: Context,
  options: { signal: AbortSignal; report: (error: unknown) => void },
  frames: (signal: AbortSignal) => AsyncIterable<SseFrame>,
): Response {
  c.header("Cache-Control", "no-cache, no-transform")
  c.header("X-Accel-Buffering", "no")
  return streamSSE(
    c,
    async (stream) => {
      const left = new AbortController()
      stream.onAbort(() => left.abort())
      const signal = AbortSignal.any([left.signal, options.signal])
      await stream.write(`retry: ${RETRY_MS}\n\n`)
      for await (const frame of frames(signal)) {
        if (signal.aborted) return
        if (frame === "quiet") await stream.write(": keep-alive\n\n")
        else await stream.writeSSE({ ...frame, data: JSON.stringify(frame.data) })
      }
    },
    // The answer has begun, so all that is left is to end it: a client that misses the last event comes back.
    async (error) => options.report(error),
  )
}
