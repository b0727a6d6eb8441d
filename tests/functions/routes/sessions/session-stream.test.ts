import { randomUUID } from "node:crypto"
import type { NewEvent } from "@switchyard/core/events"
import { systemClock } from "@switchyard/core/time"
import { createAccess } from "@switchyard/functions/access"
import { createApp } from "@switchyard/functions/app"
import { loadConfig } from "@switchyard/functions/config"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { seeded } from "../../../faults/random.ts"
import { type Frame, framesOf, startServer, type TestServer } from "../../server.ts"

const { signal } = new AbortController()
const OWNER = "local"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterEach(() => expect(server.reported).toEqual([]))
afterAll(() => server.close())

async function newSession(events = 0) {
  const id = `stream-${randomUUID()}`
  const { session } = await server.core().sessions.touch(OWNER, id, { signal })
  const say = (text: string) => session.decide(() => [{ type: "note", text } as unknown as NewEvent], { signal })
  for (let n = 0; n < events; n++) await say(`${n}`)
  const remove = () => server.call("DELETE", `/api/v1/sessions/${id}`)
  return { id, say, remove, path: `/api/v1/sessions/${id}/stream` }
}

/** Yields frames as they arrive, until the stream ends or the reader leaves. */
async function* listen(
  path: string,
  headers: Record<string, string> = {},
  { url }: { url: string } = server,
): AsyncGenerator<Frame> {
  const leaving = new AbortController()
  const response = await fetch(`${url}${path}`, { headers, signal: leaving.signal })
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"])
  let text = ""
  try {
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk
      const end = text.lastIndexOf("\n\n") + 2
      yield* framesOf(text.slice(0, end))
      text = text.slice(end)
    }
  } finally {
    leaving.abort()
  }
}

async function first(count: number, frames: AsyncGenerator<Frame>): Promise<Frame[]> {
  const heard: Frame[] = []
  for await (const frame of frames) if (heard.push(frame) === count) break
  return heard
}

const seqs = (frames: Frame[]) => frames.map(({ id }) => Number(id))

describe("a session's stream", () => {
  it("tells what was, then what comes, until the session is deleted", async () => {
    const { say, remove, path, id } = await newSession(3)
    const heard: Frame[] = []
    for await (const frame of listen(path)) {
      heard.push(frame)
      if (heard.length === 4) await say("live")
      if (heard.length === 5) await remove()
    }
    expect(seqs(heard)).toEqual([1, 2, 3, 4, 5, 6])
    expect(new Set(heard.map(({ event }) => event))).toEqual(new Set(["event"]))
    expect(heard.map(({ data }) => [data.seq, data.session_id])).toEqual(seqs(heard).map((seq) => [seq, id]))
    expect(heard.map(({ data }) => data.type).slice(-2)).toEqual(["note", "session_deleted"])
    expect((await server.call("GET", path)).body.error.code).toBe("session_not_found")
  })

  it("goes on after since_seq, or after Last-Event-ID, which wins", async () => {
    const { path } = await newSession(5)
    expect(seqs(await first(2, listen(`${path}?since_seq=2`)))).toEqual([3, 4])
    expect(seqs(await first(2, listen(`${path}?since_seq=2`, { "last-event-id": "4" })))).toEqual([5, 6])
  })

  it.each(["-1", "x", "1.2.3", "9".repeat(20)])("doesn't begin at %s, which is no place", async (cursor) => {
    const { path } = await newSession()
    expect((await server.call("GET", `${path}?since_seq=${cursor}`)).status).toBe(422)
    expect((await server.call("GET", path, { headers: { "last-event-id": cursor } })).status).toBe(422)
  })

  it("says resync, and no more, to who is ahead of it or was there in an earlier life of it", async () => {
    const { id, path, remove } = await newSession(4)
    const told = async (since: number) => framesOf((await server.call("GET", `${path}?since_seq=${since}`)).text)
    expect(await told(6)).toEqual([
      { id: undefined, event: "resync", data: { since_seq: 6, first_seq: 1, latest_seq: 5 } },
    ])
    await remove()
    await server.core().sessions.touch(OWNER, id, { signal })
    expect(await told(3)).toMatchObject([{ event: "resync", data: { since_seq: 3, first_seq: 7, latest_seq: 7 } }])
    // A reader that received the deletion, or nothing at all, can continue.
    for (const since of [6, 0]) expect(seqs(await first(1, listen(`${path}?since_seq=${since}`)))).toEqual([7])
  })

  it("keeps its events to itself where they aren't wanted, but not its end", async () => {
    const { say, remove, path } = await newSession(3)
    const quiet = Array.fromAsync(listen(`${path}?include_events=false`))
    const loud = listen(path)
    await first(4, loud)
    await say("live")
    await remove()
    expect((await quiet).map(({ data }) => data.type)).toEqual(["session_deleted"])
  })

  it("ends at the deadline of whoever serves it, and goes on with the next, without a gap or anything twice", async () => {
    const { id, say, path } = await newSession(10)
    const random = seeded(7)
    const heard: Frame[] = []
    let connections = 0
    while (heard.length < 61) {
      const deadline = new AbortController()
      const app = appUntil(deadline.signal)
      const last = heard.at(-1)?.id
      const headers = { host: "localhost", ...(last !== undefined && { "last-event-id": last }) }
      const response = await app.request(`http://localhost${path}`, { headers })
      const after = random.between(0, 6)
      let text = ""
      let told = 0
      for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        text += chunk
        if (framesOf(chunk).length > 0 && ++told === after) deadline.abort()
        if (after === 0) deadline.abort()
        if (heard.length + told < 61) await say("more")
      }
      expect(text.startsWith("retry: ")).toBe(true)
      heard.push(...framesOf(text))
      connections++
    }
    const page = await server.call("GET", `/api/v1/sessions/${id}/events?limit=1000`)
    expect(heard.map(({ data }) => data)).toEqual(page.body.events.slice(0, heard.length))
    expect(connections).toBeGreaterThan(10)
  })
})

/** Creates the app as a function does for one request: streams end at the deadline. */
function appUntil(stopping: AbortSignal) {
  const core = server.core()
  const config = loadConfig({})
  const base = { ...server.stores, clock: systemClock, report: (error: unknown) => server.reported.push(error) }
  const access = createAccess(config, { ...core, ...base, masterKey: new Uint8Array(32) })
  return createApp({ ...core, ...base, config, access, stopping, version: "0", newSessionId: randomUUID })
}

describe("a browser that has logged in", () => {
  const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"

  it("hears a session by its cookie alone, and changes it with the token of its pages", async () => {
    const guarded = await startServer({ env: { AUTH_MODE: "token", ADMIN_TOKEN } })
    const { headers, body: me } = await guarded.call("POST", "/login", { json: { token: ADMIN_TOKEN } })
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? ""
    const create = (more: Record<string, string>) =>
      guarded.call("POST", "/api/v1/sessions", { json: { name: "Mine" }, headers: { cookie, ...more } })
    expect((await create({})).status).toBe(403)
    const { body: session } = await create({ "x-csrf-token": me.csrf_token })
    const stream = `/api/v1/sessions/${session.id}/stream`
    const heard: string[] = []
    for await (const { data } of listen(stream, { cookie }, guarded)) {
      if (heard.push(data.type) > 1) continue
      const csrf = { cookie, "x-csrf-token": me.csrf_token }
      await guarded.call("DELETE", `/api/v1/sessions/${session.id}`, { headers: csrf })
    }
    expect(heard).toEqual(["session_opened", "session_deleted"])
    expect((await guarded.call("GET", stream)).status).toBe(401)
    await guarded.close()
  })
})
