import { createHash, randomUUID } from "node:crypto"
import { dirname, join } from "node:path"
import type { Session } from "@switchyard/core/sessions/schema"
import { systemClock } from "@switchyard/core/time"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { makeRepository } from "../../agents/repository.ts"
import { heldModel, startServer, type TestServer } from "../../server.ts"

const held = heldModel()
let aheadMs = 0
let server: TestServer
beforeAll(async () => {
  server = await startServer({ clock: { ...systemClock, now: () => systemClock.now() + aheadMs } })
})
afterEach(() => expect(server.reported).toEqual([]))
afterAll(() => server.close())

const MINUTE = 60_000
const fresh = () => `work-${randomUUID()}`
const write = (id: string, path: string, content: string) =>
  server.call("PUT", "/workspace/file", { json: { path, content, workspace_id: id } })
const run = (id: string, user_prompt: string) => server.run({ user_prompt, workspace_id: id })
const get = async (id: string): Promise<Session> => (await server.call("GET", `/api/v1/sessions/${id}`)).body
const list = async (query = "") => (await server.call("GET", `/api/v1/sessions?${query}`)).body
const shaOf = (text: string) => createHash("sha256").update(text).digest("hex")

describe("a session", () => {
  it("is opened under a name, or under none, and is idle", async () => {
    const named = await server.call("POST", "/api/v1/sessions", { json: { name: " Garden " } })
    const unnamed = await server.call("POST", "/api/v1/sessions")
    expect([named.status, unnamed.status]).toEqual([201, 201])
    expect(named.body).toMatchObject({ name: "Garden", kind: "build", status: "idle", active: false, latest_seq: 1 })
    expect(unnamed.body).toMatchObject({ name: "New session", file_count: 0, workspace_version: 0, last_run: null })
    expect(await get(named.body.id)).toEqual(named.body)
  })

  it("is named after the project that was planned in it first, and says how its run went", async () => {
    const id = fresh()
    await run(id, "\n  A page about cats\nwith pictures")
    await run(id, "Now with dogs")
    expect(await get(id)).toMatchObject({
      id,
      name: "Thing",
      status: "done",
      active: false,
      active_run: null,
      last_run: { status: "completed", prompt: "Now with dogs", kind: "workflow" },
      file_count: 2,
      progress: null,
    })
  })

  it("keeps the name that a person gave it, whatever is planned", async () => {
    const { id } = (await server.call("POST", "/api/v1/sessions", { json: { name: "Garden" } })).body
    await run(id, "A page about cats")
    expect((await get(id)).name).toBe("Garden")
  })

  it("is named anew, which outlasts the next plan, and gets its plan's name back", async () => {
    const id = fresh()
    const name = async (name: unknown) => server.call("PATCH", `/api/v1/sessions/${id}`, { json: { name } })
    expect(await name("Orchard")).toMatchObject({ status: 404, body: { error: { code: "session_not_found" } } })
    await run(id, "A page about cats")
    const { last_activity } = await get(id)
    expect(await name(" Orchard ")).toMatchObject({ status: 200, body: { name: "Orchard", last_activity } })
    await run(id, "Now with dogs")
    expect(await get(id)).toMatchObject({ name: "Orchard" })
    expect(await name("two\nlines")).toMatchObject({ status: 422 })
    const latest = (await get(id)).latest_seq
    await name("Orchard")
    expect((await get(id)).latest_seq).toBe(latest)
    expect((await name("")).body.name).toBe("Thing")
  })

  it("is pinned to the top of the list, and found by its name", async () => {
    const opened = ["Walnut tree", "Other"].map((name) => server.call("POST", "/api/v1/sessions", { json: { name } }))
    const [walnut] = (await Promise.all(opened)).map(({ body }) => body.id)
    const pin = (pinned: boolean) => server.call("PATCH", `/api/v1/sessions/${walnut}`, { json: { pinned } })
    expect(await pin(true)).toMatchObject({ status: 200, body: { pinned: true, name: "Walnut tree" } })
    aheadMs += 2 * MINUTE
    await run(fresh(), "A page")
    expect((await list("limit=1")).sessions[0]).toMatchObject({ id: walnut, pinned: true })
    expect((await list("q=tree+walnut")).sessions.map((session: Session) => session.id)).toEqual([walnut])
    expect((await pin(false)).body.pinned).toBe(false)
  })

  it("names a run after its request even when that was asked at length", async () => {
    const id = fresh()
    await run(id, `A page about cats\n${"and more cats ".repeat(5000)}`)
    expect((await get(id)).last_run?.prompt).toBe("A page about cats")
  })

  it.each(["no-such", "%00", "..%2F..", "__proto__", "%F0%9F%A6%8A", "%ED%A0%80", "a%20b", "x".repeat(200)])(
    "that isn't there is not found, whatever it is called: %s",
    async (id) => {
      for (const [method, path] of [
        ["GET", ""],
        ["DELETE", ""],
        ["POST", "/cancel"],
        ["POST", "/resume"],
        ["GET", "/events"],
        ["GET", "/stream"],
        ["GET", `/artifacts/${"0".repeat(64)}`],
      ]) {
        const answer = await server.call(method ?? "", `/api/v1/sessions/${id}${path}`)
        expect(answer, `${method} ${path}`).toMatchObject({
          status: 404,
          body: { error: { code: "session_not_found" } },
        })
      }
      expect(JSON.stringify(await list("limit=100"))).not.toContain('"no-such"')
    },
  )

  it("is gone once it is deleted, and anew once it is used again", async () => {
    const { id } = (await server.call("POST", "/api/v1/sessions", { json: { name: "Old" } })).body
    await write(id, "a.txt", "secret of old")
    expect((await server.call("DELETE", `/api/v1/sessions/${id}`)).status).toBe(204)
    expect((await server.call("DELETE", `/api/v1/sessions/${id}`)).status).toBe(404)
    expect((await server.call("GET", `/api/v1/sessions/${id}`)).status).toBe(404)
    expect((await list("limit=100")).sessions.map((session: Session) => session.id)).not.toContain(id)
    await write(id, "b.txt", "new")
    const anew = await get(id)
    expect(anew).toMatchObject({ name: "New session", file_count: 1 })
    const { body } = await server.call("GET", `/api/v1/sessions/${id}/events`)
    expect(body).toMatchObject({ first_seq: anew.first_seq, from_seq: anew.first_seq })
    expect(body.events.map(({ type }: { type: string }) => type)).toEqual(["session_opened", "workspace_committed"])
    const old = `/api/v1/sessions/${id}/artifacts/${shaOf("secret of old")}`
    expect((await server.call("GET", old)).status).toBe(404)
  })
})

describe("the list of sessions", () => {
  it("has those that began with a run, a file or nothing, the last active first", async () => {
    const [written, touched, ran] = [fresh(), fresh(), fresh()]
    for (const [id, begin] of [
      [written, () => write(written, "a.txt", "a")],
      [touched, () => server.call("POST", "/workspace/session/touch", { headers: { "x-workspace-id": touched } })],
      [ran, () => run(ran, "A page")],
    ] as const) {
      aheadMs += 2 * MINUTE
      await begin()
      expect((await list("limit=1")).sessions[0].id).toBe(id)
    }
    aheadMs += 2 * MINUTE
    await write(written, "b.txt", "b")
    const ids = (await list("limit=3")).sessions.map((session: Session) => session.id)
    expect(ids).toEqual([written, ran, touched])
  })

  it("is not put in another order by who only looks", async () => {
    const [first, second] = [fresh(), fresh()]
    await write(first, "a.txt", "a")
    aheadMs += 2 * MINUTE
    await write(second, "a.txt", "a")
    aheadMs += 2 * MINUTE
    await server.call("GET", `/workspace/tree?workspace_id=${first}`)
    await get(first)
    expect((await list("limit=2")).sessions.map((session: Session) => session.id)).toEqual([second, first])
  })

  it("comes in pages that together have every session once", async () => {
    const { sessions } = await list("limit=100")
    const paged: string[] = []
    for (let before: string | null = ""; before !== null; ) {
      const page = await list(`limit=3${before ? `&before=${encodeURIComponent(before)}` : ""}`)
      expect(page.sessions.length).toBeLessThanOrEqual(3)
      paged.push(...page.sessions.map((session: Session) => session.id))
      before = page.next
    }
    expect(paged).toHaveLength(sessions.length)
    expect(new Set(paged)).toEqual(new Set(sessions.map((session: Session) => session.id)))
  })

  it("says how many there are on all pages, of all and of those that are looked for", async () => {
    const { total, sessions } = await list("limit=100")
    expect(total).toBe(sessions.length)
    const first = await list("limit=2")
    expect(first).toMatchObject({ total })
    expect(await list(`limit=2&before=${encodeURIComponent(first.next)}`)).toMatchObject({ total })
    const opened = [1, 2, 3].map((n) => server.call("POST", "/api/v1/sessions", { json: { name: `Quince ${n}` } }))
    await Promise.all(opened)
    expect(await list("q=quince&limit=2")).toMatchObject({ total: 3, sessions: [{}, {}] })
    expect(await list("q=no+such+fruit")).toMatchObject({ total: 0, sessions: [] })
  })

  it("has the sessions of one repository, however its folder is written", async () => {
    const { folder } = makeRepository(join(dirname(server.folder), "orchard"))
    const open = (json: object) => server.call("POST", "/api/v1/sessions", { json })
    const named = await open({ project_path: folder, name: "Pear" })
    await open({ project_path: `${folder}/` })
    await open({ name: "Nowhere" })
    expect(named.body).toMatchObject({ project_path: folder, repository: folder })
    for (const asked of [folder, `${folder}/`, `${dirname(folder)}/./orchard`]) {
      const { sessions, total } = await list(`project_path=${encodeURIComponent(asked)}`)
      expect([sessions.length, total], asked).toEqual([2, 2])
    }
    expect((await list(`q=pear&project_path=${encodeURIComponent(folder)}`)).sessions).toMatchObject([{ name: "Pear" }])
    expect(await list(`project_path=${encodeURIComponent(dirname(folder))}`)).toMatchObject({ sessions: [], total: 0 })
    expect((await server.call("GET", "/api/v1/sessions?project_path=-x")).status).toBe(400)
  })
})

describe("the events of a session", () => {
  const events = async (id: string, query: string) => server.call("GET", `/api/v1/sessions/${id}/events?${query}`)

  it("come from the end, back to the start, and on from there", async () => {
    const id = fresh()
    await run(id, "A page")
    const { body: all } = await events(id, "limit=1000")
    expect(all).toMatchObject({ session_id: id, from_seq: 1, to_seq: all.latest_seq, first_seq: 1 })
    const { body: tail } = await events(id, "tail=5")
    expect(tail.events).toEqual(all.events.slice(-5))
    const { body: before } = await events(id, `before_seq=${tail.from_seq}&limit=4`)
    expect(before.events).toEqual(all.events.slice(-9, -5))
    await write(id, "b.txt", "b")
    const { body: after } = await events(id, `since_seq=${tail.latest_seq}`)
    expect(after.events).toMatchObject([{ type: "workspace_committed", session_id: id, file_count: 3 }])
  })

  it("are whole, and of the types that were asked for", async () => {
    const id = fresh()
    const prompt = `A page\n${"and more ".repeat(10_000)}`
    await run(id, prompt)
    const { body } = await events(id, "event_types=run_created,%20run_completed")
    expect(body.events).toMatchObject([
      { type: "run_created", input: { user_prompt: prompt } },
      { type: "run_completed" },
    ])
  })

  it.each(["since_seq=1&before_seq=2", "tail=5&since_seq=0", "tail=0", "limit=1001", "since_seq=-1", "before_seq=x"])(
    "are not told by %s",
    async (query) => {
      const id = fresh()
      await write(id, "a.txt", "a")
      expect((await events(id, query)).status).toBe(422)
    },
  )

  it("come compressed for whoever takes them so: nothing before the server does it", async () => {
    const id = fresh()
    for (let file = 0; file < 8; file++) await write(id, `${file}.txt`, "x")
    const plain = await server.call("GET", `/api/v1/sessions/${id}/events`, {
      headers: { "accept-encoding": "identity" },
    })
    const gzipped = await server.call("GET", `/api/v1/sessions/${id}/events`, {
      headers: { "accept-encoding": "gzip" },
    })
    expect(plain.headers.get("content-encoding")).toBeNull()
    expect(gzipped.headers.get("content-encoding")).toBe("gzip")
    expect(gzipped.body).toEqual(plain.body)
  })

  it("are not told from a place that isn't there", async () => {
    const id = fresh()
    await write(id, "a.txt", "a")
    const { status, body } = await events(id, "since_seq=99")
    expect([status, body.error]).toMatchObject([410, { code: "resync", details: { since: 99, begin: 1, latest: 2 } }])
  })
})

describe("stopping a session", () => {
  it("stops what runs in it, as often as one asks, and says when there is nothing", async () => {
    const own = await startServer({ scripted: held.provider })
    const id = fresh()
    await own.call("POST", "/v1/runs", { json: { user_prompt: "A page", workspace_id: id } })
    expect((await own.call("GET", `/api/v1/sessions/${id}`)).body).toMatchObject({ status: "busy", active: true })
    const cancel = () => own.call("POST", `/api/v1/sessions/${id}/cancel`)
    expect((await cancel()).body).toMatchObject({ session_id: id, cancel_requested: true })
    await cancel()
    held.release()
    const [{ run_id = "" } = {}] = (await own.call("GET", "/v1/runs")).body.runs
    expect((await own.ended(run_id)).status).toBe("cancelled")
    expect((await own.call("GET", `/api/v1/sessions/${id}`)).body).toMatchObject({ status: "idle", active: false })
    expect((await cancel()).body).toEqual({
      session_id: id,
      cancel_requested: false,
      message: "No active task to cancel",
    })
    await own.close()
  })
})

describe("an artifact", () => {
  it("is a file of any version, as text, that a browser may keep, but asks for each time", async () => {
    const id = fresh()
    await write(id, "a.html", "<script>alert(1)</script>")
    await write(id, "a.html", "changed")
    const path = `/api/v1/sessions/${id}/artifacts/${shaOf("<script>alert(1)</script>")}`
    const answer = await server.call("GET", path)
    expect([answer.status, answer.text]).toEqual([200, "<script>alert(1)</script>"])
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
      "cache-control": "private, no-cache",
    })
    const again = await server.call("GET", path, { headers: { "if-none-match": answer.headers.get("etag") ?? "" } })
    expect([again.status, again.text]).toEqual([304, ""])
    const saved = await server.call("GET", `${path}?filename=a.html`)
    expect(saved.headers.get("content-disposition")).toContain("attachment")
    expect(await server.call("HEAD", path)).toMatchObject({ status: 200, text: "" })
  })

  it("of another session is not found, even if it is the same owner's", async () => {
    const [mine, other] = [fresh(), fresh()]
    await write(mine, "a.txt", "only here")
    await write(other, "b.txt", "something else")
    for (const sha of [shaOf("only here"), "..", "%2e%2e%2fblobs", `${shaOf("only here")}/`, "x".repeat(64)]) {
      expect((await server.call("GET", `/api/v1/sessions/${other}/artifacts/${sha}`)).status).toBe(404)
    }
  })
})
