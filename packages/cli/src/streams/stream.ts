import type { EventSourceMessage } from "eventsource-parser"
import type * as z from "zod"
import { Unreachable } from "../errors/errors.ts"
import { type Connection, orUnreachable } from "../server/connection.ts"
import type { RetryPolicy } from "../server/retry.ts"
import { readFrames } from "./sse.ts"

export interface StreamDeps {
  connection: Connection
  retries: RetryPolicy
  /**
   * Maximum silence of a connection. If nothing arrives for longer, not even a comment, the connection counts as lost.
   */
  silenceMs: number
}

/**
 * Yields the frames after `lastId` from one connection, until the connection is lost or times out. Yields "over" if the
 * stream has ended for good.
 */
export async function* openStream(
  { connection, retries, silenceMs }: StreamDeps,
  path: string,
  lastId: string | undefined,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<EventSourceMessage | "over"> {
  const line = new AbortController()
  const timer = setTimeout(() => line.abort(new Unreachable("The stream timed out.")), silenceMs)
  const unlessLost = <T>(task: () => Promise<T>) => orUnreachable(task, "The connection was lost", { signal })
  try {
    const response = await unlessLost(() =>
      connection.send({
        path,
        headers: { accept: "text/event-stream", ...(lastId !== undefined && { "last-event-id": lastId }) },
        signal: AbortSignal.any([signal, line.signal]),
      }),
    )
    if (response.status === 204) return yield "over"
    const frames = readFrames(bodyOf(response))
    for (;;) {
      const { done, value: frame } = await unlessLost(() => frames.next())
      if (done) return
      timer.refresh()
      retries.recordAnswer()
      if (!("comment" in frame)) yield frame
    }
  } finally {
    clearTimeout(timer)
    line.abort()
  }
}

/** Calls `read` until it returns a result. Pauses after each interruption. */
export async function reconnecting<T>(
  { retries }: Pick<StreamDeps, "retries">,
  read: () => Promise<T | undefined>,
  options: { signal: AbortSignal },
): Promise<T> {
  for (;;) {
    let cut = new Unreachable("The stream ended early.")
    try {
      const result = await read()
      if (result !== undefined) return result
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      cut = error
    }
    await retries.pause(cut, options)
  }
}

/** Parses a frame's JSON. Malformed data counts as an interruption. */
export function parseFrame<T>(schema: z.ZodType<T>, json: string): T {
  try {
    return schema.parse(JSON.parse(json))
  } catch (error) {
    throw new Unreachable("The stream is malformed.", { cause: error })
  }
}

function bodyOf(response: Response): AsyncIterable<Uint8Array> {
  const type = response.headers.get("content-type") ?? "nothing"
  if (response.body && type.startsWith("text/event-stream")) return response.body
  throw new Unreachable(`The response with content type ${type} isn't from a Switchyard server.`)
}
