import { randomUUID } from "node:crypto"
import { openTerminalLog } from "@switchyard/core/agents/terminals/terminal-log"
import type { NewEvent } from "@switchyard/core/events"
import { systemClock } from "@switchyard/core/time"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { readFrames } from "../../agents/frames.ts"
import { type Frame, startServer, type TestServer } from "../../server.ts"

const { signal } = new AbortController()
const OWNER = "local"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterEach(() => expect(server.reported).toEqual([]))
afterAll(() => server.close())

async function newSession(notes = 0, id = `shared-${randomUUID()}`) {
  const core = server.core()
  const { session } = await core.sessions.touch(OWNER, id, { signal })
  const append = (event: object) => session.decide(() => [event as NewEvent], { signal })
  const note = (text: string) => append({ type: "note", text })
  for (let n = 0; n < notes; n++) await note(`${n}`)
  return { id, session, append, note, remove: () => server.call("DELETE", `/api/v1/sessions/${id}`) }
}

const stream = (sources: string) => readFrames(server, `/api/v1/stream?sources=${encodeURIComponent(sources)}`)

async function take(count: number, frames: AsyncIterable<Frame>): Promise<Frame[]> {
  const heard: Frame[] = []
  for await (const frame of frames) if (heard.push(frame) === count) break
  return heard
}

describe("a shared stream", () => {
  it("carries the events of several sessions, each from its own position, and new ones of all", async () => {
    const [one, two] = [await newSession(3), await newSession(5)]
    const heard: Frame[] = []
    for await (const frame of stream(`${one.id}:2,${two.id}:4`)) {
      heard.push(frame)
      if (heard.length === 4) await Promise.all([one.note("live"), two.note("live")])
      if (heard.length === 6) break
    }
    const seqs = (source: number) =>
      heard.filter(({ data }) => data.source === source).map(({ data }) => [data.data.session_id, data.data.seq])
    expect(seqs(0)).toEqual([3, 4, 5].map((seq) => [one.id, seq]))
    expect(seqs(1)).toEqual([5, 6, 7].map((seq) => [two.id, seq]))
    expect(new Set(heard.map(({ event, id }) => `${event} ${id}`))).toEqual(new Set(["event undefined"]))
  })

  it("sends what each source's own stream sends", async () => {
    const { id } = await newSession(3)
    const own = await take(4, readFrames(server, `/api/v1/sessions/${id}/stream`))
    const shared = await take(4, stream(id))
    expect(shared.map(({ event, data }) => [event, data.data])).toEqual(own.map(({ event, data }) => [event, data]))
  })

  it("goes on with the others when a source isn't there, is ahead, or is deleted", async () => {
    const [here, doomed] = [await newSession(1), await newSession(1)]
    const heard: Frame[] = []
    const sources = `no-such-session,${here.id}:999,${doomed.id}:2,${here.id}:2,${here.id}/pty_none::tab`
    for await (const frame of stream(sources)) {
      heard.push(frame)
      if (heard.length === 3) await doomed.remove()
      if (heard.some(({ data }) => data.source === 2)) {
        if (!heard.some(({ data }) => data.source === 3)) await here.note("still here")
        else break
      }
    }
    const of = (source: number) => heard.filter(({ data }) => data.source === source)
    expect(of(0)).toMatchObject([{ event: "error", data: { data: { error: { code: "session_not_found" } } } }])
    expect(of(1)).toMatchObject([{ event: "resync", data: { data: { latest_seq: 2 } } }])
    expect(of(2)).toMatchObject([{ event: "event", data: { data: { type: "session_deleted" } } }])
    expect(of(3)).toMatchObject([{ event: "event", data: { data: { text: "still here" } } }])
    expect(of(4)).toMatchObject([{ event: "error", data: { data: { error: { code: "not_found" } } } }])
  })

  it("sends a session's summary, again once it changes, and an error once it is deleted", async () => {
    const { id, note, append, remove } = await newSession(1)
    const about = { run_id: `run_${id}`, agent_id: "main" }
    const created = { type: "run_created", ...about, kind: "agent", model: "mock/mock", title: "Look", input: {} }
    const question = { kind: "text", text: "Which port?" }
    const asked = { type: "question_asked", ...about, question_id: "que_1", kind: "text", question }
    const heard: Frame[] = []
    for await (const frame of stream(`${id}:summary`)) {
      heard.push(frame)
      if (heard.length === 1) {
        // Events that don't change the summary aren't sent.
        for (const text of ["a", "b", "c"]) await note(text)
        await append(created)
      }
      if (heard.length === 2) await append(asked)
      if (heard.length === 3) await remove()
    }
    expect(heard.map(({ event }) => event)).toEqual(["summary", "summary", "summary", "summary", "error"])
    expect(heard.map(({ data }) => data.data)).toMatchObject([
      { id, status: "idle", column: "done" },
      { id, status: "busy", column: "working" },
      { id, column: "needs_you", open_questions: 1, question: { question_id: "que_1", title: "Which port?" } },
      // Deleting the session cancels its run first.
      { id, active: false, open_questions: 0 },
      { error: { code: "session_not_found" } },
    ])
  })

  it("ends with its last source", async () => {
    const { id, remove } = await newSession(1)
    const types: string[] = []
    for await (const { data } of stream(`${id}:1,none`)) {
      types.push(data.data.type ?? data.data.error.code)
      if (types.length === 2) await remove()
    }
    expect(types.at(-1)).toBe("session_deleted")
  })

  it("carries terminals, each viewer's from its own offset", async () => {
    const { id, session, append } = await newSession()
    const pty = `pty_${randomUUID().replaceAll("-", "")}`
    await append({ type: "runner_claimed", generation: 1, executor: "test", incarnation: 1 })
    await append({ type: "terminal_opened", pty, kind: "driver", title: "t", rows: 24, cols: 80 })
    const log = openTerminalLog(
      { ...server.core(), ...server.stores, clock: systemClock },
      { sid: session.sid, incarnation: 1, pty, writer: "test" },
    )
    const bytes = (offset: number, text: string) => ({
      type: "terminal_bytes" as const,
      offset,
      after: 1,
      bytes: Buffer.from(text).toString("base64"),
    })
    await log.append([{ type: "terminal_snapshot", offset: 0, after: 1, rows: 24, cols: 80, screen: "" }], { signal })
    await log.append([bytes(0, "hello"), bytes(5, " you")], { signal })
    const heard = await take(4, stream(`${id}/${pty}::first,${id}/${pty}:5:second`))
    const of = (source: number) =>
      heard.filter(({ data }) => data.source === source).map(({ event, data }) => [event, data.data.offset])
    expect(of(0)).toEqual([
      ["snapshot", 0],
      ["bytes", 5],
      ["bytes", 9],
    ])
    expect(of(1)).toEqual([["bytes", 9]])
    // A poll with nothing new stays empty. Otherwise, the client would poll again at once.
    const poll = (offset: number) =>
      Array.fromAsync(readFrames(server, `/api/v1/stream?sources=${id}/${pty}:${offset}:third&wait_ms=100`))
    expect((await poll(5)).map(({ event, data }) => [event, data.data.offset])).toEqual([["bytes", 9]])
    expect(await poll(9)).toEqual([])
    await log.append([{ type: "terminal_snapshot", offset: 9, after: 1, rows: 24, cols: 80, screen: "" }], { signal })
    expect(await poll(9)).toEqual([])
    expect((await poll(5)).map(({ event }) => event)).toContain("snapshot")
  })

  it("ends soon after its first frames where the client can't wait for its end, and none is lost between two", async () => {
    const { id, note } = await newSession(3)
    const seqs = async (since: number, waitMs: number) => {
      const frames = readFrames(server, `/api/v1/stream?sources=${id}:${since}&wait_ms=${waitMs}`)
      return (await Array.fromAsync(frames)).map(({ data }) => data.data.seq)
    }
    expect(await seqs(1, 20_000)).toEqual([2, 3, 4])
    expect(await seqs(4, 0)).toEqual([])
    const waiting = seqs(4, 20_000)
    await note("late")
    expect(await waiting).toEqual([5])
    const refused = await server.call("GET", `/api/v1/stream?sources=${id}&wait_ms=20001`)
    expect(refused.status).toBe(422)
  })

  it("takes an id of any letters, percent-encoded", async () => {
    const { id } = await newSession(0, `with,some:odd/letters-${randomUUID()}`)
    const [frame] = await take(1, stream(encodeURIComponent(id)))
    expect(frame?.data.data.session_id).toBe(id)
  })

  it.each(["", ",", "a:x", "a:-1", "a/b", "a/b:1", "a:1:tab", "a/b:summary:tab", "%:1", `a${",a".repeat(100)}`])(
    "refuses %j, which is no list of sources",
    async (sources) => {
      const answer = await server.call("GET", `/api/v1/stream?sources=${encodeURIComponent(sources)}`)
      expect([answer.status, answer.body.error.code]).toEqual([422, "validation_error"])
    },
  )
})
