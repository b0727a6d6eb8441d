import { describe, expect, it } from "vitest"
import { loadRecording } from "../../../../../packages/web/src/features/terminal/recording/load-recording.ts"
import {
  countBy,
  createCastReader,
  shownTime,
} from "../../../../../packages/web/src/features/terminal/recording/recording.ts"

const v2 = (...events: unknown[]) =>
  [{ version: 2, width: 80, height: 24, timestamp: 1, title: "x" }, ...events]
    .map((line) => JSON.stringify(line))
    .join("\n")

function read(text: string, piece = text.length) {
  const reader = createCastReader()
  for (let at = 0; at < text.length; at += piece) reader.push(text.slice(at, at + piece))
  return reader.end()
}

describe("a recording", () => {
  it("is the same however its bytes come in, with idle stretches shortened", () => {
    const text = v2([0.5, "o", "a"], [60.5, "o", "b\n"], [61, "r", "100x30"], [61.2, "i", "typed"], [61.5, "o", "c"])
    const whole = read(text)
    expect(read(`${text}\n`, 1)).toEqual(whole)
    expect(whole).toEqual({
      rows: 24,
      cols: 80,
      beganAtMs: 1000,
      cues: [
        { at: 0.5, shownAt: 0.5, type: "output", text: "a" },
        { at: 60.5, shownAt: 2, type: "output", text: "b\n" },
        { at: 61, shownAt: 2.5, type: "resize", rows: 30, cols: 100 },
        { at: 61.5, shownAt: 3, type: "output", text: "c" },
      ],
      length: 3,
    })
    expect([0, 0.5, 1.9, 2, 99].map((at) => countBy(whole, at))).toEqual([0, 1, 1, 2, 4])
    // In the middle of a shortened pause, the shown time stays at the pause's end.
    expect([0.25, 0.5, 1, 30, 60.5, 61, 99].map((at) => shownTime(whole, at))).toEqual([0.25, 0.5, 1, 2, 2, 2.5, 3])
  })

  it("begins at the very millisecond where it says so", () => {
    const began = (header: object) => read(JSON.stringify({ version: 2, width: 80, height: 24, ...header })).beganAtMs
    expect(began({ timestamp: 7, began_at_ms: 7499 })).toBe(7499)
    expect(began({ timestamp: 7 })).toBe(7000)
  })

  it("may be of version 3, with the time since the event before, and remarks", () => {
    const lines = [
      '{"version":3,"term":{"cols":90,"rows":20}}',
      "# a remark",
      '[0.5,"o","a"]',
      '[0.25,"o","b"]',
      '[1,"x","0"]',
    ]
    const { rows, cols, cues } = read(lines.join("\n"))
    expect([rows, cols, cues.map(({ at }) => at)]).toEqual([20, 90, [0.5, 0.75]])
  })

  it("has a time that never goes back", () => {
    expect(read(v2([2, "o", "a"], [1, "o", "b"])).cues.map(({ shownAt }) => shownAt)).toEqual([1.5, 1.5])
  })

  it("is none without its head", () => {
    for (const text of ["", "{}", '{"version":1,"width":80,"height":24}', '{"version":2,"width":0,"height":24}']) {
      expect(() => read(text), text).toThrow()
    }
  })

  it("is read a bit at a time, however much of it comes at once", async () => {
    const line = `${JSON.stringify([1, "o", "x".repeat(2000)])}\n`
    const body = `${v2()}\n${line.repeat(10_000)}`
    let turns = 0
    const timer = setInterval(() => turns++)
    const get = async () => new Response(body)
    const { cues } = await loadRecording(get, "/", { onProgress: () => {}, signal: new AbortController().signal })
    clearInterval(timer)
    expect(cues).toHaveLength(10_000)
    expect(turns).toBeGreaterThan(1)
  })
  it("is fetched in parts where the server gives it so", async () => {
    const body = v2(...Array.from({ length: 500 }, (_, at) => [at, "o", `line ${at} ä\n`]))
    const bytes = new TextEncoder().encode(body)
    const get = async (_: unknown, init?: RequestInit) => {
      const from = Number(new Headers(init?.headers).get("range")?.match(/^bytes=(\d+)-$/)?.[1])
      const part = bytes.subarray(from, from + 997)
      const headers = { "content-range": `bytes ${from}-${from + part.length - 1}/${bytes.length}` }
      return new Response(part, { status: 206, headers })
    }
    const options = { onProgress: () => {}, signal: new AbortController().signal }
    expect(await loadRecording(get as typeof fetch, "/", options)).toEqual(read(body))
    const silent = async () => new Response("", { status: 206, headers: { "content-range": "bytes 0-0/5" } })
    await expect(loadRecording(silent, "/", options)).rejects.toThrow("The recording is incomplete.")
  })
})
