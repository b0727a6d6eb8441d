import type { Context } from "hono"

/** One frame, or a comment that only keeps proxies awake. */
export type SseFrame = { id?: string; event: string; data: unknown } | "quiet"

const RETRY_MS = 1000

/**
 * Streams frames until they end, the reader leaves, or the signal aborts. Nothing is asked of the source before somebody
 * reads, or faster than it is read. It hears of an end by its own signal and is left by `return`, so its `finally` runs.
 */
export function sendEvents(
  c: Context,
  options: { signal: AbortSignal; report: (error: unknown) => void },
  frames: (signal: AbortSignal) => AsyncGenerator<SseFrame>,
): Response {
  const left = new AbortController()
  const signal = AbortSignal.any([left.signal, options.signal])
  const source = frames(signal)
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`)),
      async pull(controller) {
        try {
          const { done, value } = await source.next()
          if (done) controller.close()
          else controller.enqueue(encoder.encode(textOf(value)))
        } catch (error) {
          // The answer has begun, so all that is left is to end it: a client that misses the last event comes back.
          if (!signal.aborted) options.report(error)
          if (!left.signal.aborted) controller.close()
        }
      },
      async cancel() {
        left.abort()
        await source.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  return c.body(body, 200, {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
  })
}

function textOf(frame: SseFrame): string {
  if (frame === "quiet") return ": keep-alive\n\n"
  const id = frame.id === undefined ? "" : `id: ${frame.id}\n`
  return `event: ${frame.event}\ndata: ${JSON.stringify(frame.data)}\n${id}\n`
}
