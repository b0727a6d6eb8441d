import type { SocketClient } from "./socket.ts"

/** Maximum size of a batch. API Gateway bills each message in steps of 32 KB. */
const BATCH_BYTES = 32 * 1024
const [BEGIN, END] = ['{"type":"batch","messages":[', "]}"]

/** True if the socket's address asks for batches. Older clients don't ask, and receive each message separately. */
export function takesBatches(query: URLSearchParams): boolean {
  return query.get("batch") === "true"
}

/**
 * Yields the texts to send, in order. Messages that arrive while a text is being sent are combined into one `batch`. No
 * message is delayed to wait for others. The source is read only as fast as the texts are consumed, so a slow client is
 * at most one batch behind. Leaving the loop ends the source.
 */
export async function* messageBatches(
  open: SocketClient<object>["frames"],
  options: { signal: AbortSignal },
): AsyncGenerator<string> {
  const left = new AbortController()
  let texts: string[] = []
  let bytes = BEGIN.length + END.length
  let more = Promise.withResolvers<void>()
  let room = Promise.withResolvers<void>()

  async function readAhead(): Promise<void> {
    for await (const message of open({ signal: AbortSignal.any([options.signal, left.signal]) })) {
      const text = JSON.stringify(message)
      const size = Buffer.byteLength(text) + 1
      while (texts.length > 0 && bytes + size > BATCH_BYTES && !left.signal.aborted) await room.promise
      texts.push(text)
      bytes += size
      more.resolve()
    }
  }
  function take(): string[] {
    const taken = texts
    texts = []
    bytes = BEGIN.length + END.length
    room.resolve()
    room = Promise.withResolvers()
    return taken
  }

  let isRead = false
  const reading = readAhead().finally(() => {
    isRead = true
    more.resolve()
  })
  // The loop below throws this error after it has sent the earlier messages. Until then, it must not count as
  // unhandled.
  reading.catch(() => undefined)
  try {
    while (!options.signal.aborted && (!isRead || texts.length > 0)) {
      if (texts.length > 0) yield batchText(take())
      else {
        await more.promise
        more = Promise.withResolvers()
      }
    }
    await reading
  } finally {
    left.abort()
    room.resolve()
    await Promise.allSettled([reading])
  }
}

function batchText(texts: readonly string[]): string {
  const [first = ""] = texts
  return texts.length === 1 ? first : BEGIN + texts.join() + END
}
