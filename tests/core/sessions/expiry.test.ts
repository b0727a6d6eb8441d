import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { sessionKey } from "@switchyard/core/ids"
import { logName, sessionBlobs } from "@switchyard/core/kernel/keys"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { entryKey } from "@switchyard/core/sessions/session-index"
import { createSealer } from "@switchyard/core/storage/sealing"
import type { Clock } from "@switchyard/core/time"
import { claimRun } from "@switchyard/core/work/runs/rules"
import { sweep } from "@switchyard/core/work/runs/sweep"
import { compose } from "@switchyard/functions/compose"
import { loadConfig } from "@switchyard/functions/config"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores } from "../../fixtures/stores.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const OWNER = "ann"
const options = { signal: new AbortController().signal }

let world: Awaited<ReturnType<typeof openWorld>>
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.store.close())

describe("the life of a session", () => {
  it("slides by an hour with every touch", async () => {
    const first = await world.touch()
    expect(first.expiresAt).toBe(world.now() + HOUR)
    await world.pass(30 * MINUTE)
    expect((await world.touch()).expiresAt).toBe(world.now() + HOUR)
  })

  it("keeps its files when it expires, and is as it was when it is touched again", async () => {
    await world.write("a.txt", "still here")
    await world.pass(3 * DAY)
    expect(await world.read("a.txt")).toBe("still here")
  })

  it("frees an old archive when it expires, and nothing that can't be made again", async () => {
    await world.write("a.txt", "one")
    const { session } = await world.touch()
    const archive = `${sessionBlobs(session.sid)}1/archives/old.zip`
    await world.store.blobs.put(archive, Buffer.from("zip"))
    world.age()
    await world.pass(2 * HOUR)
    expect(await world.store.blobs.head(archive)).toBeUndefined()
    expect(await world.read("a.txt")).toBe("one")
  })

  it("is deleted when nobody touched it for the days of retention, and its data is removed", async () => {
    await world.write("a.txt", "old")
    await world.pass(29 * DAY)
    expect(await world.blobCount()).toBeGreaterThan(0)
    await world.pass(2 * DAY)
    await world.pass(DAY)
    await world.pass(HOUR)
    expect(await world.blobCount()).toBe(0)
    expect((await world.core.sessions.list(OWNER, { limit: 10, ...options })).sessions).toEqual([])
    expect(await world.eventTypes()).toEqual(["session_deleted"])
  })

  it("is deleted sooner where its owner wants that, also if it was there before, and its owner is told", async () => {
    const { cleanups } = world.core
    await world.write("a.txt", "old")
    await world.pass(2 * HOUR)
    expect(await cleanups.change(OWNER, { cleanup_days: 3 }, options)).toMatchObject({ cleanup_days: 3, cleaned: [] })
    await world.pass(2 * DAY)
    expect(await world.blobCount()).toBeGreaterThan(0)
    await world.pass(DAY)
    await world.pass(DAY)
    await world.pass(HOUR)
    expect(await world.blobCount()).toBe(0)
    const cleaned = [{ session_id: "work", deleted_at: expect.any(String), name: expect.any(String) }]
    expect(await cleanups.read(OWNER, options)).toEqual({ cleanup_days: 3, auto_cleanup: true, cleaned })
    expect((await cleanups.read("bob", options)).cleaned).toEqual([])
  })

  it.each([
    ["more days than the server's", { cleanup_days: 400 }],
    ["no cleaning up", { cleanup_days: 1, auto_cleanup: false }],
  ])("is kept for the server's days where its owner wants %s", async (_, change) => {
    await world.core.cleanups.change(OWNER, change, options)
    await world.write("a.txt", "kept")
    await world.pass(29 * DAY)
    expect(await world.blobCount()).toBeGreaterThan(0)
    await world.pass(2 * DAY)
    await world.pass(DAY)
    await world.pass(HOUR)
    expect(await world.blobCount()).toBe(0)
  })

  it("leaves nothing behind where it was prepared and never opened", async () => {
    const { core, store } = world
    const url = "https://git.example/a/tool.git"
    const remote = { url, credentials: { username: "ada", password: "secret" } }
    const life = await core.sessions.announce(OWNER, "never-opened", { remote, ...options })
    expect(await core.repositoryCredentials.get(life, url, options)).toEqual(remote.credentials)
    await world.pass(2 * HOUR)
    expect(await core.repositoryCredentials.get(life, url, options)).toBeUndefined()
    expect(await store.records.get(entryKey(life.sid), options)).toBeUndefined()
  })

  it("is not told of as cleaned up when a person deleted it", async () => {
    await world.write("a.txt", "old")
    await world.core.sessions.remove(OWNER, "work", options)
    await world.pass(HOUR)
    expect((await world.core.cleanups.read(OWNER, options)).cleaned).toEqual([])
  })

  it("outlives a clock that is wrong by years as a server starts, if it is set right within a day", async () => {
    await world.write("a.txt", "kept")
    world.set(800 * DAY)
    await world.lookAtEverything()
    await world.pass(20 * HOUR)
    await world.lookAtEverything()
    expect(await world.blobCount()).toBeGreaterThan(0)
    world.set(-800 * DAY)
    await world.lookAtEverything()
    for (let day = 0; day < 28; day++) await world.pass(DAY)
    expect(await world.eventTypes()).not.toContain("session_deleted")
    // The time until deletion starts again when the clock is set right.
    for (let day = 0; day < 2; day++) await world.pass(DAY)
    expect(await world.eventTypes()).not.toContain("session_deleted")
    for (let day = 0; day < 2; day++) await world.pass(DAY)
    expect(await world.eventTypes()).toContain("session_deleted")
  })

  it("isn't deleted where it was used while the clock was years behind, and is used again within a day", async () => {
    world.set(-800 * DAY)
    await world.write("a.txt", "kept")
    world.set(800 * DAY)
    await world.lookAtEverything()
    await world.pass(23 * HOUR)
    await world.touch()
    await world.pass(2 * DAY)
    expect(await world.read("a.txt")).toBe("kept")
    expect(await world.eventTypes()).not.toContain("session_deleted")
  })

  it("lives on as long as it is touched, however old it is", async () => {
    await world.write("a.txt", "kept")
    for (let day = 0; day < 60; day += 10) {
      await world.pass(10 * DAY)
      await world.touch()
    }
    expect(await world.read("a.txt")).toBe("kept")
  })

  it("never expires while a run is active in it", async () => {
    await world.write("a.txt", "in use")
    const { sid } = (await world.touch()).session
    const run = { owner: OWNER, sid, sessionId: "work", model: "scripted/demo", kind: "workflow" as const }
    const { runId } = await world.core.runs.start({ ...run, input: { user_prompt: "x", recursion_limit: 9 } }, options)
    const session = await openSessionLog(world.deps, sid, options)
    await session.decide(claimRun(runId, "someone", 0), options)
    await session.decide(
      () => [{ type: "run_parked", run_id: runId, agent_id: "main", generation: 1, reason: "waits" }],
      options,
    )
    await world.pass(100 * DAY)
    await world.pass(HOUR)
    expect((await session.catchUp(options)).session.deleted).toBe(false)
    expect(await world.read("a.txt")).toBe("in use")
  })
})

describe("a look at everything, as a server takes that starts", () => {
  it("leaves each session the hint that it has, however often it is repeated", async () => {
    await world.write("a.txt", "secret")
    await world.lookAtEverything()
    await world.core.sessions.remove(OWNER, "work", options)
    await world.lookAtEverything()
    await world.lookAtEverything()
    await world.pass(2 * HOUR)
    expect(await world.blobCount()).toBe(0)
  })

  it("comes to an end while a run keeps its session alive and the clock goes on", async () => {
    const { sid } = (await world.touch()).session
    const input = { user_prompt: "x", recursion_limit: 9 }
    const run = { owner: OWNER, sid, sessionId: "work", model: "scripted/demo", kind: "workflow" as const, input }
    await world.core.runs.start(run, options)
    world.tick()
    await world.lookAtEverything()
    await world.lookAtEverything()
    expect(
      (await Array.fromAsync(world.core.sweep.due.dueBefore(world.now() + 2 * HOUR, options))).length,
    ).toBeLessThan(4)
  })
})

describe("a session that is deleted", () => {
  it("is empty at once, and keeps its data only until nobody can write any more", async () => {
    await world.write("a.txt", "secret")
    await world.core.sessions.remove(OWNER, "work", options)
    expect(await world.blobCount()).toBeGreaterThan(0)
    await world.pass(5 * MINUTE)
    expect(await world.blobCount()).toBeGreaterThan(0)
    await world.pass(11 * MINUTE)
    expect(await world.blobCount()).toBe(0)
    expect(await world.eventTypes()).toEqual(["session_deleted"])
  })

  it("begins anew under the same id, and the removal of the old data leaves the new alone", async () => {
    await world.write("a.txt", "old")
    await world.core.sessions.remove(OWNER, "work", options)
    await world.write("b.txt", "new")
    await expect(world.read("a.txt")).rejects.toMatchObject({ code: "workspace_not_found" })
    await world.pass(2 * HOUR)
    expect(await world.read("b.txt")).toBe("new")
    await expect(world.read("a.txt")).rejects.toMatchObject({ code: "workspace_not_found" })
    expect(await world.eventTypes()).toEqual(["session_opened", "workspace_committed"])
  })

  it("may be deleted when it isn't there, and deleted twice", async () => {
    await world.core.sessions.remove(OWNER, "never", options)
    await world.touch()
    await world.core.sessions.remove(OWNER, "work", options)
    await world.core.sessions.remove(OWNER, "work", options)
    expect((await world.eventTypes()).filter((type) => type === "session_deleted")).toHaveLength(1)
  })

  it("is another owner's neither to touch nor to delete", async () => {
    await world.write("a.txt", "mine")
    await world.core.sessions.remove("eve", "work", options)
    const theirs = await world.core.sessions.touch("eve", "work", options)
    expect((await openWorkspace(world.store, theirs.session, options)).manifest.files).toEqual([])
    expect(await world.read("a.txt")).toBe("mine")
  })
})

async function openWorld() {
  const store = await openStores()
  let time = Date.UTC(2026, 0, 1)
  let blobAge = 0
  let tickMs = 0
  const clock: Clock = { now: () => (time += tickMs), monotonic: () => time, sleep: async () => undefined }
  // Stored blobs have the machine's real time, so the test replaces it.
  const blobs = {
    ...store.blobs,
    async *list(prefix: string) {
      for await (const info of store.blobs.list(prefix)) yield { ...info, modifiedAt: time - blobAge }
    },
    async head(key: string) {
      const info = await store.blobs.head(key)
      return info && { ...info, modifiedAt: time - blobAge }
    },
  }
  const core = compose(loadConfig({}), {
    ...store,
    blobs,
    clock,
    sealer: createSealer(new Uint8Array(32)),
    sealerOf: () => createSealer(new Uint8Array(32)),
    launcher: { start: async () => undefined },
    writer: "test",
    report: (error) => {
      throw error
    },
  })
  const touch = () => core.sessions.touch(OWNER, "work", options)
  return {
    store,
    core,
    deps: { ...core, records: store.records, clock, writer: "test" },
    now: () => time,
    touch,
    /** Makes every blob look two days old. */
    age: () => {
      blobAge = 2 * DAY
    },
    /** From here on, each read of the clock advances it by 1 ms. */
    tick: () => {
      tickMs = 1
    },
    lookAtEverything: () => sweep(core.sweep, { ...options, everything: true }),
    /** Sets the clock without a sweep. */
    set(ms: number) {
      time += ms
    },
    async pass(ms: number) {
      time += ms
      await sweep(core.sweep, options)
    },
    async write(path: string, text: string) {
      const { session } = await touch()
      await commitChanges(
        store,
        session,
        [{ op: "write", path: workspacePath(path), bytes: Buffer.from(text) }],
        options,
      )
    },
    async read(path: string) {
      const { session } = await touch()
      return (await openWorkspace(store, session, options)).readText(workspacePath(path), options)
    },
    async blobCount() {
      return (await Array.fromAsync(store.blobs.list(sessionBlobs(sessionKey(OWNER, "work"))))).length
    },
    async eventTypes() {
      const events = await Array.fromAsync(core.log.read(logName(sessionKey(OWNER, "work")), 0, options))
      return events.map(({ type }) => type)
    },
  }
}
