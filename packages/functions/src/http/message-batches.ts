import type { SocketClient } from "./socket.ts"

/** The longest batch. API Gateway bills a message by each 32 KB that it begins. */
const BATCH_BYTES = 32 * 1024
const [BEGIN, END] = ['{"type":"batch","messages":[', "]}"]

/** Whether the address of a socket asks for batches. A client of before does not, and gets each message by itself. */
export function takesBatches(query: URLSearchParams): boolean {
  return query.get("batch") === "true"
}

/**
 * The messages as texts to send: each by itself, and those that came while the one before was sent as one `batch`, in
 * order. Nothing waits for company. The client reads no slower than its texts are taken, so it falls behind by one batch.
 * Leaving the loop ends the source.
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
  // Thrown once what came before it was taken; until then it is not unhandled.
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
