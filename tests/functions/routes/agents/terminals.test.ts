import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../../depth.ts"
import { createViewer, drawFrame } from "../../../runner/terminals/looks.ts"
import { readFrames } from "../../agents/frames.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const base64 = (text: string) => Buffer.from(text).toString("base64")
const ended = (runId: string) => server.ended(runId)

/** Opens a session in which the mock agent works until it is stopped. */
async function working(knobs: object = { hangs: true }) {
  const { id } = (await server.call("POST", "/api/v1/sessions")).body
  const path = `/api/v1/sessions/${id}`
  const json = { coding_agent: "mock", task_description: `Wait. mock: ${JSON.stringify(knobs)}` }
  const { task_id } = (await server.call("POST", `${path}/tasks`, { json })).body
  const frames = readFrames(server, `${path}/stream?include_terminal=false`)
  for await (const { data } of frames) if (data.type === "agent_session_opened") break
  const [{ pty }] = (await server.call("GET", `${path}/terminals`)).body.terminals
  return { id, path, pty: pty as string, runId: task_id as string }
}

/** Resolves once the terminal shows all of these texts. */
async function screenWith(stream: string, ...texts: string[]): Promise<void> {
  const viewer = createViewer({ rows: 1, cols: 1 })
  for await (const { event, data } of readFrames(server, stream)) {
    if (event === "snapshot") drawFrame(viewer, { ...data, type: "snapshot" })
    if (event === "bytes") drawFrame(viewer, { ...data, type: "bytes", bytes: Buffer.from(data.data, "base64") })
    if (texts.every((text) => viewer.text().includes(text))) return
  }
}

describe("a terminal over HTTP", () => {
  it("shows its screen, hears what is typed once, is resized, and leaves a recording", async () => {
    const { path, pty, runId } = await working()
    const at = `${path}/terminals/${pty}`
    const frames = readFrames(server, `${at}/stream?client=tab`)
    const first = (await frames.next()).value
    expect(first).toMatchObject({ event: "snapshot", data: { pty, rows: 24, cols: 80 } })
    await server.call("POST", `${at}/resize`, { json: { client: "tab", rows: 30, cols: 100 } })
    for await (const { event, data } of frames) {
      if (event !== "resized") continue
      expect(data).toMatchObject({ rows: 30, cols: 100 })
      break
    }
    const more = { client: "tab", client_seq: 1, data: base64("more\r") }
    for (let again = 0; again < 2; again++) {
      expect((await server.call("POST", `${at}/input`, { json: more })).body).toEqual({ success: true })
    }
    await server.call("POST", `${at}/input`, { json: { client: "tab", client_seq: 2, data: base64("\u0003") } })
    expect(await ended(runId)).toMatchObject({ status: "cancelled" })
    const { events } = (await server.call("GET", `${path}/events?event_types=user_message,terminal_output`)).body
    const typed = events.filter(({ source }: { source?: string }) => source === "terminal")
    expect(typed).toMatchObject([{ content: "more" }])
    expect(events.filter(({ type }: { type: string }) => type === "terminal_output")).toHaveLength(1)
    const [view] = (await server.call("GET", `${path}/terminals`)).body.terminals
    expect(view).toMatchObject({ open: false, has_recording: true, run_id: runId })
    const recording = (await server.call("GET", `${at}/recording`)).text
    expect(JSON.parse(recording.split("\n")[0] ?? "")).toMatchObject({ version: 2, width: 80, height: 24 })
    const part = await server.call("GET", `${at}/recording`, { headers: { range: "bytes=5-9" } })
    expect([part.status, part.text, part.headers.get("content-range")]).toEqual([
      206,
      recording.slice(5, 10),
      `bytes 5-9/${Buffer.byteLength(recording)}`,
    ])
    expect((await server.call("POST", `${at}/input`, { json: more })).body.error.code).toBe("terminal_invalid")
    expect(server.reported).toEqual([])
  })

  it("is shown from where a viewer was, up to its end", async () => {
    const { path, pty, runId } = await working({ duration_ms: 500 })
    await ended(runId)
    const whole = await Array.fromAsync(readFrames(server, `${path}/terminals/${pty}/stream`))
    expect(whole.at(-1)).toMatchObject({ event: "ended", data: { exit_code: 0 } })
    const end = whole.at(-1)?.data.offset
    const rest = await Array.fromAsync(readFrames(server, `${path}/terminals/${pty}/stream?offset=${end}`))
    // A snapshot may repeat, but no byte does.
    expect(rest.map(({ event }) => event)).not.toContain("bytes")
    expect(rest.at(-1)).toMatchObject({ event: "ended" })
    const stream = `${path}/terminals/${pty}/stream`
    // A reader that has all bytes but not the end receives the end.
    const headers = { "last-event-id": String(end) }
    expect((await server.call("GET", stream, { headers })).text).toContain("event: ended")
    const over = await server.call("GET", stream, { headers: { "last-event-id": whole.at(-1)?.id ?? "" } })
    expect([over.status, over.text]).toEqual([204, ""])
    expect((await server.call("GET", stream, { headers: { "last-event-id": "1.2" } })).status).toBe(422)
    expect((await server.call("GET", `${path}/terminals/pty_none/stream`)).status).toBe(404)
  })

  itDeep("hears what is pasted into the agent's own screen whole, however long it is", async () => {
    const { path, runId } = await working()
    await server.call("POST", `${path}/take-over`)
    let pty = ""
    for await (const { data } of readFrames(server, `${path}/stream?include_terminal=false`)) {
      if (data.type === "terminal_opened" && data.kind === "tui") pty = data.pty
      if (pty !== "") break
    }
    const at = `${path}/terminals/${pty}`
    // Until the program reads key by key, the terminal accepts only 4 KB per line.
    await screenWith(`${at}/stream`, "0 characters typed")
    let heard = 0
    for (const [index, length] of [20_000, 26_000, 130_000, 740_000].entries()) {
      const json = { client: "tab", client_seq: index + 1, data: base64("p".repeat(length)) }
      expect((await server.call("POST", `${at}/input`, { json })).status).toBe(200)
      heard += length
    }
    const end = { client: "tab", client_seq: 5, data: base64("end") }
    await server.call("POST", `${at}/input`, { json: end })
    await screenWith(`${at}/stream`, `${heard + 3} characters typed`, "ppend")
    const tooLong = { client: "tab", client_seq: 6, data: base64("p".repeat(800_000)) }
    const { status, body } = await server.call("POST", `${at}/input`, { json: tooLong })
    expect([status, body.error.code]).toEqual([422, "validation_error"])
    await server.call("POST", `${path}/cancel`)
    await ended(runId)
    expect(server.reported).toEqual([])
  })

  it("isn't there where no agent works", async () => {
    const { id } = (await server.call("POST", "/api/v1/sessions")).body
    for (const [what, json] of [
      ["input", { data: base64("x") }],
      ["resize", { rows: 24, cols: 80 }],
      ["messages", { content: "Hello" }],
    ] as const) {
      const { status, body } = await server.call("POST", `/api/v1/sessions/${id}/${what}`, { json })
      expect([status, body.error.code], what).toEqual([400, "terminal_invalid"])
    }
  })
})

describe("a task that is cancelled", () => {
  it("tells how it ended before it is over: its tools, its turn, its last screen and its recording", async () => {
    const { path, pty, runId } = await working({ say: "I begin.", unanswered: "make all", hangs: true })
    for await (const { data } of readFrames(server, `${path}/stream?include_terminal=false`)) {
      if (data.type === "tool_call_started") break
    }
    await server.call("POST", `${path}/cancel`)
    expect(await ended(runId)).toMatchObject({ status: "cancelled" })
    const { events } = (await server.call("GET", `${path}/events`)).body
    const types = events.map(({ type }: { type: string }) => type)
    const after = events.slice(types.indexOf("run_cancel_requested") + 1, types.indexOf("run_cancelled"))
    const of = (type: string) => after.filter((event: { type: string }) => event.type === type)
    expect(of("tool_call_finished")).toHaveLength(1)
    expect(of("agent_turn_finished")).toMatchObject([
      { outcome: { type: "failed", problem: "cancelled" }, run_id: runId },
    ])
    expect(of("terminal_output")[0].data).toContain("I begin.")
    expect(of("terminal_closed")).toMatchObject([{ pty, recording: expect.any(String) }])
    const [view] = (await server.call("GET", `${path}/terminals`)).body.terminals
    expect(view).toMatchObject({ open: false, has_recording: true })
    expect((await server.call("GET", `${path}/terminals/${pty}/recording`)).text).toContain("I begin.")
    expect(server.reported).toEqual([])
  })
})

describe("a message to an agent", () => {
  it("reaches it while it works", async () => {
    const { path, runId } = await working({ duration_ms: 3000 })
    const json = { content: "Mind the gap.", source: "api" }
    expect((await server.call("POST", `${path}/messages`, { json })).status).toBe(200)
    await ended(runId)
    const { events } = (await server.call("GET", `${path}/events?event_types=user_message`)).body
    expect(events).toContainEqual(expect.objectContaining(json))
  })

  itDeep("reaches it whole, however long it is, and is refused where it may not be so long", async () => {
    const { path, runId } = await working()
    const lengths = [20_000, 33_000, 90_000, 100_000]
    for (const length of lengths) {
      const json = { content: `${length} `.padEnd(length, "m"), source: "api" }
      expect((await server.call("POST", `${path}/messages`, { json })).status).toBe(200)
    }
    const { status, body } = await server.call("POST", `${path}/messages`, { json: { content: "m".repeat(100_001) } })
    expect([status, body.error.code]).toEqual([422, "validation_error"])
    const said: string[] = []
    for await (const { data } of readFrames(server, `${path}/stream?include_terminal=false`)) {
      if (data.type === "user_message" && data.source === "api") said.push(data.content)
      if (said.length === lengths.length) break
    }
    expect(said.map((content) => content.length)).toEqual(lengths)
    await server.call("POST", `${path}/cancel`)
    await ended(runId)
  })
})
