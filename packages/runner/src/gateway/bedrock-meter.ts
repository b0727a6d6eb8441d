import { Transform } from "node:stream"
import { createFrameReader } from "@switchyard/core/models/bedrock-frames"
import { createUsageReader, type Meter } from "./meter.ts"

/** Creates a meter for Bedrock's streams. Each message contains one of Anthropic's events. */
export function createBedrockMeter(): Meter {
  const read = createFrameReader()
  const usage = createUsageReader()
  let isReadable = true

  function take(chunk: Uint8Array): void {
    try {
      for (const { fields } of read(chunk)) {
        const text = Buffer.from(String(fields.bytes ?? ""), "base64").toString()
        if (text.includes("usage")) usage.add(text)
      }
    } catch {
      // The agent receives the damaged stream, and reports it.
      isReadable = false
    }
  }

  return {
    through: new Transform({
      transform(chunk, _encoding, done) {
        if (isReadable) take(chunk)
        done(null, chunk)
      },
    }),
    usage: usage.total,
  }
}
