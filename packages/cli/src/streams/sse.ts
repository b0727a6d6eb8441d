import { createParser, type EventSourceMessage } from "eventsource-parser"
import { Unreachable } from "../errors/errors.ts"

/**
 * A complete frame, or a line that keeps an idle stream open. Such a line is a comment or, before the first frame,
 * `retry`.
 */
export type Frame = EventSourceMessage | { comment: string }

const FRAME_LIMIT = 32 * 1024 * 1024

/** Yields the frames of an event stream. Drops an incomplete frame at the end, because the server sends it again. */
export async function* readFrames(body: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  const frames: Frame[] = []
  const decoder = new TextDecoder()
  const parser = createParser({
    maxBufferSize: FRAME_LIMIT,
    onEvent: (message) => frames.push(message),
    onComment: (comment) => frames.push({ comment }),
    onRetry: (ms) => frames.push({ comment: `retry in ${ms} ms` }),
    onError(error) {
      if (error.type === "max-buffer-size-exceeded") throw new Unreachable("An event from the server was too long.")
    },
  })
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* frames.splice(0)
  }
}
