import type { EventFrame } from "@switchyard/core/work/runs/run-events"
import type { Context } from "hono"
import { principal } from "./request.ts"
import { type AuthorizationDeps, whileAuthorized } from "./while-authorized.ts"

/**
 * First line of the first event's block. Some clients (such as Python's httpx-sse) would mistake a separate block for
 * an event without data. The line is sent immediately, because proxies hold back the headers until the first byte of
 * the body.
 */
const RETRY = "retry: 1000\n"

/**
 * Comment without a blank line after it. After an event with an ID, some clients treat every blank line as another
 * event.
 */
const KEEP_ALIVE = ": keep-alive\n"

/**
 * Streams frames until they end, the client disconnects or loses its authorization, or the signal aborts. Reads the
 * source only as fast as the client reads. At the end, aborts the source's signal and calls the source's `return`,
 * which runs its `finally`.
 */
export function sendEvents(
  c: Context,
  options: AuthorizationDeps & { signal: AbortSignal },
  frames: (signal: AbortSignal) => AsyncGenerator<EventFrame>,
): Response {
  const disconnected = new AbortController()
  const open = AbortSignal.any([disconnected.signal, options.signal])
  const signal = whileAuthorized(options, principal(c), { signal: open })
  const source = frames(signal)
  const encoder = new TextEncoder()
  let started = false
  const textOf = (frame: EventFrame) => {
    // Before the first event is complete, a comment would end up inside its block. Repeat the block's first line
    // instead.
    if (frame === "quiet") return started ? KEEP_ALIVE : RETRY
    started = true
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
          // The response has begun, so an error can only end it. A client that hasn't received the last event
          // reconnects.
          if (!signal.aborted) options.report(error)
          if (!disconnected.signal.aborted) controller.close()
        }
      },
      async cancel() {
        disconnected.abort()
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
