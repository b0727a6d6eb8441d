import type { Clock } from "@switchyard/core/time"
import type { Context } from "hono"

interface KeepAliveOptions {
  clock: Clock
  /** Time limit for the first byte of the response. */
  firstByteWithinMs: number
  /** Aborted when the client disconnects. */
  disconnected: AbortController
  /** Returns the body for an error that occurs after the status was sent. */
  envelope: (error: unknown) => object
}

const KEEP_ALIVE_MS = 10_000

/**
 * Responds with JSON. Throws if `answer` rejects within the time limit. If `answer` takes longer, the response begins
 * with a success status and spaces, because proxies time out if nothing is sent. If `answer` then rejects, the body is
 * the error envelope.
 */
export async function keepAliveJson(c: Context, answer: Promise<object>, options: KeepAliveOptions): Promise<Response> {
  const { clock, firstByteWithinMs, disconnected, envelope } = options
  if (await isSettledWithin(answer, firstByteWithinMs, clock)) return c.json(await answer, 200)

  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(" ")),
      async pull(controller) {
        if (!(await isSettledWithin(answer, KEEP_ALIVE_MS, clock))) return controller.enqueue(encoder.encode(" "))
        controller.enqueue(encoder.encode(JSON.stringify(await answer.catch(envelope))))
        controller.close()
      },
      cancel: () => disconnected.abort(),
    },
    { highWaterMark: 0 },
  )
  return c.body(body, 200, { "Content-Type": "application/json", "Cache-Control": "no-transform" })
}

async function isSettledWithin(answer: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const timer = new AbortController()
  const settled = answer.then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([settled, clock.sleep(ms, { signal: timer.signal }).then(() => false)])
  } finally {
    timer.abort()
  }
}
