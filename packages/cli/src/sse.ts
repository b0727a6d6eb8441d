import { createParser, type EventSourceMessage } from "eventsource-parser"
import { Unreachable } from "./errors.ts"

/** A whole frame, or the comment with which a server keeps a quiet stream open. */
export type Frame = EventSourceMessage | { comment: string }

const FRAME_LIMIT = 32 * 1024 * 1024

/** The frames of an event stream. What a cut left unfinished is dropped: it comes again, whole. */
export async function* readFrames(body: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  const frames: Frame[] = []
  const decoder = new TextDecoder()
  const parser = createParser({
    maxBufferSize: FRAME_LIMIT,
    onEvent: (message) => frames.push(message),
    onComment: (comment) => frames.push({ comment }),
    onError(error) {
      if (error.type === "max-buffer-size-exceeded") throw new Unreachable("An event of the server never ended.")
    },
  })
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* frames.splice(0)
  }
}
