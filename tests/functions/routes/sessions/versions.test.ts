import { randomUUID } from "node:crypto"
import { sessionKey } from "@switchyard/core/ids"
import { sessionBlobs } from "@switchyard/core/kernel/keys"
import type { OwnerLimits } from "@switchyard/core/sessions/owner-limits"
import { forkVersion } from "@switchyard/core/sessions/versions/fork-version"
import { systemClock } from "@switchyard/core/time"
import { sweep } from "@switchyard/core/work/runs/sweep"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { never } from "../../../settings.ts"
import { heldModel, startServer, type TestServer } from "../../server.ts"

let server: TestServer
const held = heldModel()

beforeAll(async () => {
  server = await startServer()
})

afterAll(() => server.close())

const write = (id: string, path: string, content: string, on = server) =>
  on.call("PUT", "/workspace/file", { json: { path, content, workspace_id: id } })

const at = (id: string, path = "") => `/api/v1/sessions/${id}/versions${path}`

async function texts(id: string, on = server) {
  return (await on.call("GET", `/workspace/files?workspace_id=${id}`)).body.files
}

describe("the versions of a session", () => {
  it("are listed, compared, restored and undone", async () => {
    const run = await server.run({ user_prompt: "Make a page.", workspace_id: "built" })
    expect(run.status).toBe("completed")
    const built = await texts("built")
    const [made] = (await server.call("GET", at("built"))).body.versions
    expect(made).toMatchObject({ author: "run", run: { run_id: run.run_id, status: "completed" }, files_added: 2 })
    await write("built", "README.md", "mine\n")
    await write("built", "notes.txt", "mine\n")
    const edited = await texts("built")

    const { body: list } = await server.call("GET", at("built"))
    expect(list.versions.map(({ author }: { author: string }) => author)).toEqual(["person", "person", "run"])
    const { body: found } = await server.call("GET", at("built", `/${made.version}/diff`))
    expect(found).toMatchObject({ from: made.version, to: made.version + 2, files_changed: 2 })
    expect(found.files[1]).toMatchObject({ new_path: "notes.txt", is_new: true, additions: 1 })

    const { body: restored } = await server.call("POST", at("built", `/${made.version}/restore`))
    const expected = { restored: made.version, previous: made.version + 2, version: made.version + 3, changed: true }
    expect(restored).toEqual(expected)
    expect(await texts("built")).toEqual(built)
    const again = await server.call("POST", at("built", `/${made.version}/restore`))
    expect(again.body).toMatchObject({ changed: false, version: restored.version })
    const late = { json: { if_version: made.version } }
    const refused = await server.call("POST", at("built", `/${restored.previous}/restore`), late)
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "workspace_conflict" } } })
    const undo = { json: { if_version: restored.version } }
    expect((await server.call("POST", at("built", `/${restored.previous}/restore`), undo)).status).toBe(200)
    expect(await texts("built")).toEqual(edited)
    const [newest] = (await server.call("GET", at("built", "?limit=1"))).body.versions
    expect(newest).toMatchObject({ author: "restore", restores: { version: restored.previous } })
  })

  it("have a history for each file, which can be restored alone", async () => {
    await write("files", "a.txt", "1")
    await write("files", "b.txt", "1")
    await write("files", "a.txt", "2")
    await write("files", "b.txt", "2")
    const { body } = await server.call("GET", at("files", "?path=a.txt"))
    expect(body.versions.map(({ version }: { version: number }) => version)).toEqual([3, 1])
    await server.call("POST", at("files", "/1/restore"), { json: { path: "a.txt" } })
    expect(await texts("files")).toEqual({ "a.txt": "1", "b.txt": "2" })
    const outside = await server.call("POST", at("files", "/1/restore"), { json: { path: "../a.txt" } })
    expect(outside).toMatchObject({ status: 422, body: { error: { code: "workspace_validation_error" } } })
  })

  it("can be forked into a session that doesn't need the original", async () => {
    await write("origin", "a.txt", "1")
    await write("origin", "deep/b.txt", "1")
    await write("origin", "a.txt", "2")
    await server.call("PATCH", "/api/v1/sessions/origin", { json: { name: `Shop ${"x".repeat(95)}` } })
    const headers = { "idempotency-key": "fork-once" }
    const fork = await server.call("POST", at("origin", "/2/fork"), { headers })
    expect(fork.status).toBe(201)
    const { id, name } = fork.body
    expect(name).toBe(`Shop ${"x".repeat(88)} (copy)`)
    expect((await server.call("POST", at("origin", "/2/fork"), { headers })).body).toEqual({ id, name })
    const other = await server.call("POST", at("origin", "/3/fork"), { headers })
    expect(other).toMatchObject({ status: 409, body: { error: { code: "idempotency_conflict" } } })

    await server.call("DELETE", "/api/v1/sessions/origin")
    // Sweeps as if two days had passed, so that everything of the deleted session is removed.
    const aheadMs = 2 * 86_400_000
    await sweep(server.core({ aheadMs }).sweep, { signal: never })
    const kept = await server.stores.blobs.list(sessionBlobs(sessionKey("local", "origin")), { signal: never }).next()
    expect(kept.done).toBe(true)
    expect(await texts(id)).toEqual({ "a.txt": "1", "deep/b.txt": "1" })
    await write(id, "a.txt", "3")
    await server.call("POST", at(id, "/1/restore"))
    expect(await texts(id)).toEqual({ "a.txt": "1", "deep/b.txt": "1" })
    const [opened] = (await server.call("GET", `/api/v1/sessions/${id}/events?limit=1`)).body.events
    expect(opened).toMatchObject({ type: "session_opened", copied_from: { session_id: "origin", version: 2 } })
    expect((await server.call("GET", `/api/v1/sessions/${id}`)).body).toMatchObject({ name, kind: "build" })
  })

  it.each([true, false])(
    "leave no session if a fork fails, unless another request filled it (%s)",
    async (isFilled) => {
      const id = `half-${isFilled}`
      await write(id, "a.txt", "1")
      const core = server.core()
      const source = await core.sessions.find("local", id, { signal: never })
      const leaves = new AbortController()
      let forkId = ""
      const deps = { ...server.stores, clock: systemClock, sessions: core.sessions }
      const fork = (requireBytes: OwnerLimits["requireBytes"], signal: AbortSignal) =>
        forkVersion({ ...deps, limits: { requireBytes }, newSessionId: () => (forkId ||= randomUUID()) }, source, {
          owner: "local",
          version: 1,
          key: id,
          signal,
        })
      const full: OwnerLimits["requireBytes"] = async () => {
        if (isFilled) await fork(async () => undefined, never)
        leaves.abort()
        throw new Error("the storage is full")
      }
      await expect(fork(full, leaves.signal)).rejects.toThrow("the storage is full")
      const left = await server.call("GET", `/api/v1/sessions/${forkId}`)
      expect(left.status).toBe(isFilled ? 200 : 404)
      if (isFilled) expect(await texts(forkId)).toEqual({ "a.txt": "1" })
    },
  )

  it("are refused clearly: of no session, with no such number, and during a run", async () => {
    expect((await server.call("GET", at("nowhere"))).status).toBe(404)
    await write("refused", "a.txt", "1")
    await write("refused", "a.txt", "2")
    for (const path of ["/9/diff", "/9/restore", "/9/fork"]) {
      const answer = await server.call(path.endsWith("diff") ? "GET" : "POST", at("refused", path))
      expect(answer).toMatchObject({ status: 404, body: { error: { code: "not_found" } } })
    }
    const busy = await startServer({ scripted: held.provider })
    try {
      await write("busy", "a.txt", "1", busy)
      await write("busy", "a.txt", "2", busy)
      const { body } = await busy.call("POST", "/v1/runs", {
        json: { user_prompt: "Make a page.", workspace_id: "busy" },
      })
      const refused = await busy.call("POST", at("busy", "/1/restore"))
      expect(refused).toMatchObject({
        status: 409,
        body: { error: { code: "run_active", details: { run_id: body.run_id } } },
      })
      expect(refused.body.error.message).toContain("stop it")
      await busy.call("POST", `/v1/runs/${body.run_id}/cancel`)
      held.release()
      await busy.ended(body.run_id)
      expect((await busy.call("POST", at("busy", "/1/restore"))).body).toMatchObject({ changed: true })
      expect(await texts("busy", busy)).toEqual({ "a.txt": "1" })
    } finally {
      await busy.close()
    }
  })
})
