import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../../depth.ts"
import { readFrames } from "../../agents/frames.ts"
import { type Frame, framesOf, startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

async function session() {
  const { id } = (await server.call("POST", "/api/v1/sessions")).body
  const path = `/api/v1/sessions/${id}`
  const give = async (knobs: object) => {
    const json = { coding_agent: "mock", task_description: `mock: ${JSON.stringify(knobs)}` }
    return (await server.call("POST", `${path}/tasks`, { json })).body.task_id as string
  }
  return { path, give }
}

/** Checks that each terminal frame begins where the previous frame ended. */
function checkTerminal(frames: Frame[]): void {
  let at: number | undefined
  for (const { data } of frames.filter(({ event }) => event === "terminal")) {
    if (data.type === "bytes") expect(data.offset - Buffer.byteLength(data.data, "base64")).toBe(at)
    if (data.type === "bytes" || data.type === "snapshot") at = data.offset
  }
}

describe("a session's stream with its terminal", () => {
  it("goes on after any frame, with no event and no byte twice and none missing", async () => {
    const { path, give } = await session()
    const task = await give({ duration_ms: 1500, files: { "a.txt": "a" } })
    const whole = await Array.fromAsync(readFrames(server, `${path}/stream?task=${task}`))
    checkTerminal(whole)
    expect(whole.filter(({ event }) => event === "terminal").length).toBeGreaterThan(1)
    expect(whole.at(-1)).toEqual({
      event: "complete",
      id: expect.stringMatching(/^\d+(\.\d+)?$/),
      data: { task_id: task, status: "completed", exit_code: 0, seq: expect.any(Number) },
    })
    const seqs = whole.filter(({ event }) => event === "event").map(({ data }) => data.seq)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    const last = whole.filter(({ event }) => event === "terminal").at(-1)
    // After the last event, nothing follows and the answer is 204, so these ids are skipped.
    const end = Math.max(...seqs)
    for (const { id } of whole.filter(({ id = "" }, at) => id && at % 4 === 0 && Number.parseInt(id, 10) < end)) {
      const headers = { "last-event-id": id ?? "" }
      const rest = await Array.fromAsync(readFrames(server, `${path}/stream?task=${task}`, headers))
      checkTerminal(rest.filter(({ data }) => data.type !== "snapshot" || id?.includes(".") === false))
      const before = Number(id?.split(".")[0])
      const told = rest.filter(({ event }) => event === "event").map(({ data }) => data.seq)
      expect(told, id).toEqual(seqs.filter((seq) => seq > before))
      expect(rest.at(-1)?.event).toBe("complete")
    }
    expect(last?.data.type).toBe("ended")
  })

  it("tells of a terminal that is over by its last screen, and lives on into the next task", async () => {
    const { path, give } = await session()
    const first = await give({ say: "The first one." })
    await server.ended(first)
    const frames: Frame[] = []
    const second = await give({ say: "The second one." })
    await server.ended(second)
    for await (const frame of readFrames(server, `${path}/stream`)) {
      frames.push(frame)
      if (frame.data.type === "ended") break
    }
    const screens = frames.filter(({ data }) => data.type === "screen")
    expect(screens).toHaveLength(1)
    expect(screens[0]?.data).toMatchObject({ text: true, has_ansi: false })
    expect(screens[0]?.data.data).toContain("The first one.")
    const drawn = frames.filter(({ data }) => data.type === "snapshot" || data.type === "bytes")
    expect(Buffer.concat(drawn.map(({ data }) => Buffer.from(data.data, "base64"))).toString()).toContain("second one")
    expect(frames.some(({ event }) => event === "complete")).toBe(false)
  })

  it("says nothing but the end of a task that has ended, and takes no place that isn't one", async () => {
    const { path, give } = await session()
    const task = await give({})
    await server.ended(task)
    const { latest_seq } = (await server.call("GET", path)).body
    const frames = await Array.fromAsync(readFrames(server, `${path}/stream?task=${task}&since_seq=${latest_seq}`))
    expect(frames).toMatchObject([{ event: "complete", id: String(latest_seq) }])
    expect((await server.call("GET", `${path}/stream?since_seq=1.2.3`)).body.error.code).toBe("validation_error")
    expect((await server.call("GET", `${path}/stream?task=run_none`)).body.error.code).toBe("run_not_found")
  })

  it("is replayed in the order in which it was written, with or without the events", async () => {
    const { path, give } = await session()
    const task = await give({ duration_ms: 1500, files: { "a.txt": "a" } })
    await server.ended(task)
    const terminalOf = async (query = "") => {
      const frames = await Array.fromAsync(readFrames(server, `${path}/stream?task=${task}${query}`))
      return frames.filter(({ event }) => event === "terminal")
    }
    const frames = await terminalOf()
    checkTerminal(frames)
    const pieces = frames.filter(({ data }) => data.type === "bytes" || data.type === "ended")
    expect(pieces.at(-1)?.data.type).toBe("ended")
    for (const { data } of pieces) expect(data).toMatchObject({ after: data.seq })
    for (const { data } of frames) expect(data.after).toBeLessThanOrEqual(data.seq)
    expect(await terminalOf("&include_events=false")).toEqual(frames)
  })

  itDeep("is over for a browser that has all of a task, whatever it left out", async () => {
    const { path, give } = await session()
    const task = await give({})
    await server.ended(task)
    for (const left of ["", "&include_events=false", "&include_terminal=false"]) {
      const stream = `${path}/stream?task=${task}${left}`
      const frames = await Array.fromAsync(readFrames(server, stream))
      const again = (id = "") => server.call("GET", stream, { headers: { "last-event-id": id } })
      const over = await again(frames.at(-1)?.id)
      expect([over.status, over.text]).toEqual([204, ""])
      const { status, text } = await again("1")
      expect(status).toBe(200)
      expect(framesOf(text).at(-1)).toMatchObject({ event: "complete", data: { task_id: task } })
      expect((await again("99999")).text).toContain("event: resync")
    }
  })
})
