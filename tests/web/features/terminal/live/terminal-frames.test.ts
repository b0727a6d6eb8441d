import { describe, expect, it } from "vitest"
import {
  type TerminalFrame,
  terminalFrames,
} from "../../../../../packages/web/src/features/terminal/live/terminal-frames.ts"

const URL = "http://server.invalid/stream?client=c"
const frame = (event: string, data: object) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
const bytes = (offset: number, text: string) => frame("bytes", { offset, data: btoa(text) })
const snapshot = frame("snapshot", { offset: 10, rows: 24, cols: 80, screen: "$ " })
const ended = (offset: number) => frame("ended", { offset, exit_code: 3 })

/** All that a viewer is given by a server that answers with these bodies, one a connection; a number is a refusal. */
async function viewed(...answers: (string | number)[]) {
  const asked: string[] = []
  const controller = new AbortController()
  const deps = {
    fetch: async (url: string) => {
      asked.push(url.slice(URL.length))
      const answer = answers.shift() ?? 404
      if (typeof answer === "number") return new Response("{}", { status: answer })
      return new Response(answer, { headers: { "content-type": "text/event-stream" } })
    },
    pause: async () => {},
    random: () => 0,
  }
  const frames: TerminalFrame[] = []
  // biome-ignore lint/suspicious/noExplicitAny: only what the stream needs of a browser
  for await (const one of terminalFrames(deps as any, URL, controller)) frames.push(one)
  return { asked, frames, types: frames.map((one) => (one.type === "connection" ? one.state : one.type)) }
}

describe("the frames of a terminal", () => {
  it("are a picture of it, then its bytes, then its end", async () => {
    const { frames } = await viewed(snapshot + bytes(12, "ls") + ended(12))
    expect(frames).toEqual([
      { type: "connection", state: "live" },
      { type: "snapshot", rows: 24, cols: 80, screen: "$ " },
      { type: "bytes", data: new TextEncoder().encode("ls") },
      { type: "ended", exitCode: 3 },
    ])
  })

  it("go on in the next connection where the one before broke off", async () => {
    const { asked, types } = await viewed(snapshot + bytes(12, "ls"), bytes(13, "x") + ended(13))
    expect(asked).toEqual(["", "&offset=12"])
    expect(types.filter((type) => type === "bytes")).toHaveLength(2)
    expect(types.at(-1)).toBe("ended")
  })

  it("leave out what a later server may send besides, and end where the terminal isn't to be had", async () => {
    const { asked, types } = await viewed(snapshot + frame("later", { offset: 99 }), 404)
    expect(asked).toEqual(["", "&offset=10"])
    expect(types.at(-1)).toBe("refused")
  })
})
