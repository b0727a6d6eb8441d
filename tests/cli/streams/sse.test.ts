import { readFrames } from "switchyard/streams/sse"
import { expect, it } from "vitest"

async function* pieces(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

it.each([1, 2, 3, 7, 1000])("reads the same frames from pieces of %i bytes", async (size) => {
  const stream = ': hello\n\nid: 1\nevent: x\ndata: {"text":"жук 🚂"}\n\nevent: end\r\ndata: a\r\ndata: b\r\n\r\n'
  expect(await Array.fromAsync(readFrames(pieces(stream, size)))).toEqual([
    { comment: "hello" },
    { id: "1", event: "x", data: '{"text":"жук 🚂"}' },
    { id: undefined, event: "end", data: "a\nb" },
  ])
})

it("drops a frame that was never finished", async () => {
  expect(await Array.fromAsync(readFrames(pieces("data: whole\n\ndata: half\n", 4)))).toMatchObject([{ data: "whole" }])
})
