import type { Clock } from "@switchyard/core/time"
import type { Context } from "hono"

interface KeptOpenOptions {
  clock: Clock
  /** The time that the answer may take to begin. */
  beginWithinMs: number
  /** Aborted when nobody reads any more. */
  left: AbortController
  /** The body for a failure after the status was sent. */
  envelope: (error: unknown) => object
}

const SPACE_EVERY_MS = 10_000

/**
 * Answers with JSON, or fails as the answer fails. One that isn't there in time begins as a success and is kept open with
 * spaces, for what stands between us and the caller gives up on silence; if it fails then, the body is the envelope.
 */
export async function keptOpen(c: Context, answer: Promise<object>, options: KeptOpenOptions): Promise<Response> {
  const { clock, beginWithinMs, left, envelope } = options
  if (await isSettledWithin(answer, beginWithinMs, clock)) return c.json(await answer, 200)

  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(" ")),
      async pull(controller) {
        if (!(await isSettledWithin(answer, SPACE_EVERY_MS, clock))) return controller.enqueue(encoder.encode(" "))
        controller.enqueue(encoder.encode(JSON.stringify(await answer.catch(envelope))))
        controller.close()
      },
      cancel: () => left.abort(),
    },
    { highWaterMark: 0 },
  )
  return c.body(body, 200, { "Content-Type": "application/json", "Cache-Control": "no-transform" })
}

async function isSettledWithin(answer: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const over = new AbortController()
  const settled = answer.then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([settled, clock.sleep(ms, { signal: over.signal }).then(() => false)])
  } finally {
    over.abort()
  }
}
