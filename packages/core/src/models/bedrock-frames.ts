import { EventStreamCodec } from "@smithy/core/event-streams"
import { fromUtf8, toUtf8 } from "@smithy/core/serde"

/** Message of an event stream. `fields` is its JSON. */
export interface Frame {
  /** Type of an event, such as `contentBlockDelta`, or of an exception, such as `throttlingException`. */
  type: string
  isException: boolean
  // biome-ignore lint/suspicious/noExplicitAny: the type decides which fields there are
  fields: any
}

/** Length of the field with a message's length, and the limit that AWS sets for a message. */
const LENGTH_BYTES = 4
const MAX_MESSAGE_BYTES = 24 * 1024 * 1024

/**
 * Decodes `application/vnd.amazon.eventstream`. Throws `SyntaxError` if the bytes aren't such a stream. Ends without an
 * error if the body ends in the middle of a message, because the caller knows whether the answer is complete. Leaving
 * the loop closes the body.
 */
export async function* readFrames(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Frame> {
  const read = createFrameReader()
  for await (const chunk of body) yield* read(chunk)
}

/**
 * Creates a reader of an event stream. It takes the stream's chunks, and returns the messages that each one completes.
 * The SDK's own reader allocates whatever length it reads, and doesn't close the body when its reader leaves.
 */
export function createFrameReader(): (chunk: Uint8Array) => Frame[] {
  const codec = new EventStreamCodec(toUtf8, fromUtf8)
  let chunks: Uint8Array[] = []
  let bytes = 0
  let needed = LENGTH_BYTES
  return (chunk) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes < needed) return []
    const frames: Frame[] = []
    let rest: Uint8Array = Buffer.concat(chunks)
    needed = neededFor(rest)
    while (rest.length >= needed) {
      frames.push(decode(codec, rest.subarray(0, needed)))
      rest = rest.subarray(needed)
      needed = neededFor(rest)
    }
    chunks = [rest]
    bytes = rest.length
    return frames
  }
}

/** Returns the number of bytes until the end of the first message, or of its length. */
function neededFor(bytes: Uint8Array): number {
  if (bytes.length < LENGTH_BYTES) return LENGTH_BYTES
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  if (length < 16 || length > MAX_MESSAGE_BYTES) throw new SyntaxError(`A message can't be ${length} bytes long.`)
  return length
}

function decode(codec: EventStreamCodec, bytes: Uint8Array): Frame {
  const { headers, body } = decoded(codec, bytes)
  const text = (name: string) => String(headers[name]?.value ?? "")
  const kind = text(":message-type")
  if (kind === "error") {
    return { type: text(":error-code"), isException: true, fields: { message: text(":error-message") } }
  }
  const isException = kind === "exception"
  const type = text(isException ? ":exception-type" : ":event-type")
  return { type, isException, fields: body.length > 0 ? JSON.parse(toUtf8(body)) : {} }
}

/** Translates the codec's errors about lengths and checksums. */
function decoded(codec: EventStreamCodec, bytes: Uint8Array) {
  try {
    return codec.decode(bytes)
  } catch (error) {
    throw new SyntaxError("A message of the event stream is damaged.", { cause: error })
  }
}
