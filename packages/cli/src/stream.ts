import type { EventSourceMessage } from "eventsource-parser"
import { unlessCut } from "./connection.ts"
import { Unreachable } from "./errors.ts"
import type { FollowDeps } from "./follow.ts"
import { readFrames } from "./sse.ts"

/** The frames of one connection, from `lastId` on, until it is cut or falls silent; "over" where there will never be more. */
export async function* openStream(
  { connection, patience, silenceMs }: Pick<FollowDeps, "connection" | "patience" | "silenceMs">,
  path: string,
  lastId: string | undefined,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<EventSourceMessage | "over"> {
  const line = new AbortController()
  const timer = setTimeout(() => line.abort(new Unreachable("The stream fell silent.")), silenceMs)
  const unlessLost = <T>(task: () => Promise<T>) => unlessCut(task, "The connection was lost", { signal })
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
      patience.heard()
      if (!("comment" in frame)) yield frame
    }
  } finally {
    clearTimeout(timer)
    line.abort()
  }
}

function bodyOf(response: Response): AsyncIterable<Uint8Array> {
  const type = response.headers.get("content-type") ?? "nothing"
  if (response.body && type.startsWith("text/event-stream")) return response.body
  throw new Unreachable(`Something that is no Switchyard server answered with ${type}.`)
}
