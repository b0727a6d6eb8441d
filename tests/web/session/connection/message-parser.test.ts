import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createMessageParser } from "../../../../packages/web/src/session/connection/message-parser.ts"

const STREAM =
  'retry: 1000\nevent: event\ndata: {"text":"a\u2028b: c"}\nid: 4\n\n: keep-alive\nevent: error\ndata: {}\n\n'
const MESSAGES = [
  { event: "event", data: '{"text":"a\u2028b: c"}' },
  { event: "error", data: "{}" },
]

describe("the messages of a stream", () => {
  it("are the same in whatever pieces they arrive, and whatever ends their lines", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20 })), fc.constantFrom("\n", "\r\n"), (sizes, newline) => {
        const text = STREAM.replaceAll("\n", newline)
        const parse = createMessageParser()
        const ends = sizes.map((_, index) => sizes.slice(0, index + 1).reduce((sum, size) => sum + size))
        const pieces = [0, ...ends].map((start, index) => text.slice(start, ends[index]))
        expect(pieces.flatMap(parse)).toEqual(MESSAGES)
      }),
    )
  })

  it("are none without data, and none before their end", () => {
    const parse = createMessageParser()
    expect(parse("event: event\n\n: keep-alive\n\ndata: 1\n")).toEqual([])
    expect(parse("\n")).toEqual([{ event: "", data: "1" }])
  })
})
