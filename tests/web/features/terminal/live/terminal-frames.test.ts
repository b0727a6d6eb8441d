import { describe, expect, it } from "vitest"
import {
  type TerminalFrame,
  terminalFrames,
} from "../../../../../packages/web/src/features/terminal/live/terminal-frames.ts"
import type { SourceUpdate } from "../../../../../packages/web/src/session/connection/source.ts"

const source = { session: "s", pty: "p", client: "c", offset: null }
const frame = (event: string, data: object): SourceUpdate => ({ type: "frame", frame: { event, data } })
const bytes = (offset: number, text: string) => frame("bytes", { offset, data: btoa(text) })
const snapshot = frame("snapshot", { offset: 10, rows: 24, cols: 80, screen: "$ " })
const ended = (offset: number) => frame("ended", { offset, exit_code: 3 })

/** Returns everything that a viewer receives from these updates. */
async function viewed(...updates: SourceUpdate[]) {
  const streams = {
    async *open() {
      yield* updates
    },
  }
  const frames: TerminalFrame[] = []
  for await (const one of terminalFrames(streams, source, new AbortController())) frames.push(one)
  return { frames, types: frames.map((one) => (one.type === "connection" ? one.state : one.type)) }
}

describe("the frames of a terminal", () => {
  it("are a picture of it, then its bytes, then its end", async () => {
    const { frames } = await viewed({ type: "opened" }, snapshot, bytes(12, "ls"), ended(12))
    expect(frames).toEqual([
      { type: "connection", state: "live" },
      { type: "snapshot", rows: 24, cols: 80, screen: "$ " },
      { type: "bytes", data: new TextEncoder().encode("ls") },
      { type: "ended", exitCode: 3 },
    ])
  })

  it("say when the connection is lost, and when it is back", async () => {
    const lost: SourceUpdate = { type: "lost", retryMs: 250, reason: "It broke." }
    const { types } = await viewed({ type: "opened" }, snapshot, lost, { type: "opened" }, bytes(13, "x"), ended(13))
    expect(types).toEqual(["live", "snapshot", "lost", "live", "bytes", "ended"])
  })

  it("leave out what a later server may send besides, and end where the terminal isn't to be had", async () => {
    const { types } = await viewed(snapshot, frame("later", { offset: 99 }), { type: "refused", status: 404 })
    expect(types).toEqual(["snapshot", "refused"])
  })
})
