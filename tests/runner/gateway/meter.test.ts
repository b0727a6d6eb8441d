import { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import { createMeter } from "@switchyard/runner/gateway/meter"
import { expect, it } from "vitest"

it("reads the usage of an answer, wherever it is cut", async () => {
  const lines = [
    'data: {"usage":{"input_tokens":1,"output_tokens":2}}',
    "",
    "data: a",
    'data: {"usage":{"input_tokens":3,"output_tokens":4}}',
  ]
  const bytes = Buffer.from(lines.join("\r\n"))
  for (const size of [1, 2, 7, bytes.length]) {
    const meter = createMeter("text/event-stream")
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, nth) =>
      bytes.subarray(nth * size, (nth + 1) * size),
    )
    await pipeline(Readable.from(pieces), meter.through, buffer)
    expect(meter.usage()).toMatchObject({ input: 3, output: 4 })
  }
})
