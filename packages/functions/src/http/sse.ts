import type { EventFrame } from "@switchyard/core/work/runs/run-events"
import type { Context } from "hono"

/**
 * Belongs to the first event's block: a block of its own would be an event without data to some clients, such as Python's
 * httpx-sse. As a line it goes out at once, for until a first byte comes, proxies hold the headers back.
 */
const RETRY = "retry: 1000\n"

/** A line and no block, for the same clients take each blank line after an id for another event. */
const KEEP_ALIVE = ": keep-alive\n"

/**
 * Streams frames until they end, the reader leaves, or the signal aborts. Nothing is asked of the source before somebody
 * reads, or faster than it is read. It hears of an end by its own signal and is left by `return`, so its `finally` runs.
 */
export function sendEvents(
  c: Context,
  options: { signal: AbortSignal; report: (error: unknown) => void },
  frames: (signal: AbortSignal) => AsyncGenerator<EventFrame>,
): Response {
  const left = new AbortController()
  const signal = AbortSignal.any([left.signal, options.signal])
  const source = frames(signal)
  const encoder = new TextEncoder()
  let begun = false
  const textOf = (frame: EventFrame) => {
    // Before the first event, a comment would stand in the middle of its block.
    if (frame === "quiet") return begun ? KEEP_ALIVE : RETRY
    begun = true
    return eventText(frame)
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(RETRY)),
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

function eventText(frame: Exclude<EventFrame, "quiet">): string {
  const id = frame.id === undefined ? "" : `id: ${frame.id}\n`
  return `event: ${frame.event}\ndata: ${JSON.stringify(frame.data)}\n${id}\n`
}
