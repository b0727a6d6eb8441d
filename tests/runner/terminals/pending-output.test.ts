import type { TerminalEvent } from "@switchyard/core/agents/terminals/schema"
import { RAW_LIMIT_BYTES } from "@switchyard/runner/terminals/output-limit"
import { createPendingOutput } from "@switchyard/runner/terminals/pending-output"
import { describe, expect, it } from "vitest"

const SCROLLBACK = 7

function newOutput(allows: (bytes: Uint8Array) => boolean = () => true) {
  const screen = { rows: 2, cols: 3, serialize: (scrollback: number) => `screen with ${scrollback} lines` }
  return createPendingOutput(screen, { allows: async (bytes) => allows(bytes) }, SCROLLBACK)
}

const brief = (events: TerminalEvent[]) =>
  events.map((event) => {
    if (event.type === "terminal_bytes") return `${event.offset}: ${Buffer.from(event.bytes, "base64")}`
    return event.type === "terminal_snapshot" ? `${event.offset}: ${event.screen}` : event.type
  })

describe("output that isn't logged yet", () => {
  it("begins with a snapshot, and goes on as bytes until another is requested", async () => {
    const output = newOutput()
    output.write(Buffer.from("ab"), 1, true)
    expect(brief((await output.take(false)).events)).toEqual(["0: ab", "2: screen with 7 lines"])
    output.write(Buffer.from("cd"), 1, true)
    expect(brief((await output.take(false)).events)).toEqual(["2: cd"])
    output.requestSnapshot()
    expect(brief((await output.take(false)).events)).toEqual(["4: screen with 7 lines"])
  })

  it("is never cut within an escape sequence, unless it is the last", async () => {
    const output = newOutput()
    await output.take(false)
    output.write(Buffer.from("a\u001b[3"), 1, true)
    expect(brief((await output.take(false)).events)).toEqual(["0: a"])
    expect(brief((await output.take(true)).events)[0]).toBe("1: \u001b[3")
    expect(output.written).toBe(4)
  })

  it.each([
    ["it is more than may be logged", () => newOutput((bytes) => bytes.length < 5), Buffer.from("too much"), true],
    ["it is a flood", () => newOutput(), Buffer.alloc(RAW_LIMIT_BYTES + 1, "x"), true],
    ["its emulator failed at it", () => newOutput(), Buffer.from("odd"), false],
  ])("is replaced by a snapshot where %s, and soon by one with the scrollback", async (_why, open, bytes, isDrawn) => {
    const output = open()
    await output.take(false)
    output.write(bytes, 1, isDrawn)
    const { events, isCalm } = await output.take(false)
    expect(brief(events)).toEqual([`${bytes.length}: screen with 0 lines`])
    expect([isCalm, output.isSnapshotDue]).toEqual([false, true])
    const next = await output.take(false)
    expect(brief(next.events)).toEqual([`${bytes.length}: screen with 7 lines`])
    expect([next.isCalm, output.isSnapshotDue]).toEqual([true, false])
  })
})
