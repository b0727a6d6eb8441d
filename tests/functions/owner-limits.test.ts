import { sessionKey } from "@switchyard/core/ids"
import { createOwnerLimits } from "@switchyard/core/sessions/owner-limits"
import { GRACE_MS } from "@switchyard/core/sessions/session-index"
import { afterEach, describe, expect, it } from "vitest"
import { never as signal } from "../settings.ts"
import { openSession } from "./agents/worktree-session.ts"
import { startServer, type TestServer } from "./server.ts"

let server: TestServer
afterEach(() => server.close())

const open = () => server.call("POST", "/api/v1/sessions", { json: {} })
// The content depends on the path, because identical files are stored only once.
const write = (id: string, path: string, bytes: number) =>
  server.call("PUT", "/workspace/file", { json: { workspace_id: id, path, content: path.padEnd(bytes, "x") } })
const refusal = (setting: string, maximum: number) => ({
  status: 403,
  body: { error: { code: "limit_reached", details: { setting, maximum } } },
})

describe("the limits of an owner", () => {
  it("refuse a session more than there may be, by whatever request, until one is deleted", async () => {
    server = await startServer({ env: { SESSIONS_PER_OWNER: "2" } })
    const { id } = (await open()).body
    expect((await write("second", "a.txt", 1)).status).toBe(200)
    const refused = refusal("SESSIONS_PER_OWNER", 2)
    expect(await open()).toMatchObject(refused)
    expect(await write("third", "a.txt", 1)).toMatchObject(refused)
    expect(await server.call("POST", "/workspace/session", { json: {} })).toMatchObject(refused)
    const run = { user_prompt: "A page", model: "scripted/demo" }
    expect(await server.call("POST", "/v1/runs", { json: run })).toMatchObject(refused)
    expect(await server.call("POST", "/stream", { json: run })).toMatchObject(refused)
    expect((await server.call("GET", "/api/v1/sessions")).body.sessions).toHaveLength(2)
    // Existing sessions still work.
    expect((await write("second", "b.txt", 1)).status).toBe(200)
    expect((await server.call("DELETE", `/api/v1/sessions/${id}`)).status).toBe(204)
    expect((await open()).status).toBe(201)
    expect(await open()).toMatchObject(refused)
  })

  it("refuse bytes more than there may be, until what was deleted is gone", async () => {
    server = await startServer({ env: { STORED_MB_PER_OWNER: "1" } })
    for (const path of ["a.txt", "b.txt"]) expect((await write("a", path, 200_000)).status).toBe(200)
    for (const path of ["c.txt", "d.txt"]) expect((await write("a", path, 200_000)).status).toBe(200)
    const refused = refusal("STORED_MB_PER_OWNER", 1_000_000)
    expect(await write("b", "a.txt", 200_001)).toMatchObject(refused)
    expect((await write("b", "a.txt", 100_000)).status).toBe(200)
    expect(await write("a", "e.txt", 100_001)).toMatchObject(refused)
    expect((await server.call("GET", "/workspace/files?workspace_id=a")).body.files).not.toHaveProperty("e.txt")

    // A deleted session's bytes count until they are removed. Otherwise, deleting and writing could fill the disk.
    expect((await server.call("DELETE", "/api/v1/sessions/a")).status).toBe(204)
    expect(await write("b", "b.txt", 200_000)).toMatchObject(refused)
    const later = server.core({ aheadMs: GRACE_MS + 60_000 })
    await later.limits.requireBytes("local", sessionKey("local", "b"), 200_000, { signal })
  })

  it("refuse a fork whose copies would be too many bytes, of which nothing remains", async () => {
    server = await startServer({ env: { STORED_MB_PER_OWNER: "1" } })
    for (const path of ["a.txt", "b.txt", "c.txt"]) expect((await write("a", path, 200_000)).status).toBe(200)
    const fork = await server.call("POST", "/api/v1/sessions/a/versions/3/fork")
    expect(fork).toMatchObject(refusal("STORED_MB_PER_OWNER", 1_000_000))
    const { sessions } = (await server.call("GET", "/api/v1/sessions")).body
    expect(sessions.map(({ id }: { id: string }) => id)).toEqual(["a"])
    expect((await server.call("POST", "/api/v1/sessions/a/versions/1/fork")).status).toBe(201)
  })

  it("count what runs have stored before another begins, and before more is written", async () => {
    server = await startServer({ env: { STORED_MB_PER_OWNER: "1" } })
    const session = await openSession(server)
    expect(await session.task({ files: { "a.txt": "a".repeat(150_000) } })).toMatchObject({ status: "completed" })
    for (const path of ["1.txt", "2.txt", "3.txt", "4.txt"]) {
      expect((await write("other", path, 215_000)).status).toBe(200)
    }
    const refused = refusal("STORED_MB_PER_OWNER", 1_000_000)
    // The counted total of both sessions exceeds the limit only with this write.
    expect(await write("other", "c.txt", 150_000)).toMatchObject(refused)
    const json = { coding_agent: "mock", task_description: "More" }
    expect(await server.call("POST", `/api/v1/sessions/${session.id}/tasks`, { json })).toMatchObject(refused)
    expect(await server.call("POST", "/v1/runs", { json: { user_prompt: "A page" } })).toMatchObject(refused)
  })

  it("refuse an agent more than there may be at work, until one is done", async () => {
    server = await startServer({ env: { TERMINALS_PER_OWNER: "1" } })
    const [first, second] = [await openSession(server), await openSession(server)]
    const hangs = { coding_agent: "mock", task_description: 'Do it. mock: {"hangs": true}' }
    const give = (id: string) => server.call("POST", `/api/v1/sessions/${id}/tasks`, { json: hangs })
    const { body } = await give(first.id)
    const refused = refusal("TERMINALS_PER_OWNER", 1)
    expect(await give(second.id)).toMatchObject(refused)
    expect(await give(first.id)).toMatchObject(refused)
    // A workflow uses no terminal.
    const run = { user_prompt: "A page", model: "scripted/demo", workspace_id: second.id }
    expect(await server.run(run)).toMatchObject({ status: "completed" })
    await server.call("POST", `/v1/runs/${body.task_id}/cancel`)
    await server.ended(body.task_id)
    const next = await give(second.id)
    expect(next.status).toBe(201)
    await server.call("POST", `/v1/runs/${next.body.task_id}/cancel`)
  })

  it("are each owner's own, and none where they are 0", async () => {
    server = await startServer()
    const of = (limits: { sessions: number; storedBytes: number; terminals: number }) =>
      createOwnerLimits({
        ...server.core(),
        ...server.stores,
        clock: server.core().executor.clock,
        writer: "test",
        limits,
      })
    await open()
    const strict = of({ sessions: 1, storedBytes: 1, terminals: 1 })
    await expect(strict.requireSession("local", { signal })).rejects.toMatchObject({ code: "limit_reached" })
    await strict.requireSession("ada", { signal })
    await strict.requireBytes("ada", "sid", 1, { signal })
    await expect(strict.requireBytes("ada", "sid", 1, { signal })).rejects.toMatchObject({ code: "limit_reached" })
    await strict.requireBytes("bob", "sid", 1, { signal })
    const none = of({ sessions: 0, storedBytes: 0, terminals: 0 })
    await none.requireSession("local", { signal })
    await none.requireBytes("ada", "sid", 1e12, { signal })
  })
})
