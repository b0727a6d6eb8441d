import { AppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { collectGarbage } from "@switchyard/core/files/workspaces/garbage"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { openSession } from "@switchyard/core/kernel/rules"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { deleteSession } from "@switchyard/core/sessions/rules"
import { createRun } from "@switchyard/core/work/runs/admission"
import { appendAsExecutor, cancelRun, claimRun } from "@switchyard/core/work/runs/rules"
import { describe, expect, it } from "vitest"
import { eventsOf, newStage, put, SID, type Stage, signal, whenPut } from "./stage.ts"
import { deletion, folder, rename, shaOf } from "./trees.ts"

const conflict = expect.objectContaining({ code: "workspace_conflict" })
const text = async (stage: Stage, session: SessionLog, path: string) => {
  await session.catchUp({ signal })
  return (await openWorkspace(stage, session, { signal })).readText(workspacePath(path), { signal })
}
const paths = async (stage: Stage, session: SessionLog) => {
  await session.catchUp({ signal })
  return (await openWorkspace(stage, session, { signal })).manifest.files.map((file) => file.path)
}
const keys = async ({ blobs }: Stage, prefix = `s/${SID}/`) =>
  (await Array.fromAsync(blobs.list(prefix))).map(({ key }) => key)

describe("a commit", () => {
  it("is one event, which names its version, its manifest and what it did", async () => {
    await using stage = await newStage()
    const { session } = stage
    const first = await commitChanges(stage, session, [put("src/a.ts", "A"), folder("docs")], { signal })
    const second = await commitChanges(stage, session, [rename("src", "lib")], { signal })
    expect([first.version, second.version]).toEqual([1, 2])
    expect(await eventsOf(stage, "workspace_committed")).toMatchObject([
      {
        version: 1,
        manifest: first.manifest,
        changes: [
          { op: "write", path: "src/a.ts", sha256: shaOf("A"), size_bytes: 1, mode: 0o644, binary: false },
          { op: "make_folder", path: "docs" },
        ],
      },
      { version: 2, manifest: second.manifest, changes: [{ op: "rename", from_path: "src", path: "lib" }] },
    ])
    expect(session.state.workspace).toMatchObject({ version: 2, manifest: second.manifest, files: 1 })
    expect(await text(stage, session, "lib/a.ts")).toBe("A")
  })

  it("appends nothing when it changes nothing", async () => {
    await using stage = await newStage()
    const { session } = stage
    const first = await commitChanges(stage, session, [put("a", "A")], { signal })
    const idle = await commitChanges(stage, session, [put("a", "A"), rename("a", "a", true)], { signal })
    expect(idle).toEqual({ version: 1, manifest: first.manifest, events: [] })
    expect(await commitChanges(stage, session, [], { signal })).toMatchObject({ version: 1, events: [] })
    expect(await eventsOf(stage, "workspace_committed")).toHaveLength(1)
  })

  it("judges by what stands in the log now, not by what this process saw last", async () => {
    await using stage = await newStage()
    const late = await stage.join()
    await commitChanges(stage, stage.session, [put("a", "A")], { signal })
    await commitChanges(stage, late, [deletion("a")], { signal })
    expect(await paths(stage, stage.session)).toEqual([])
  })

  it("takes effect whole or not at all", async () => {
    await using stage = await newStage()
    const { session } = stage
    await expect(commitChanges(stage, session, [put("a", "A"), deletion("nope")], { signal })).rejects.toThrow(
      expect.objectContaining({ code: "workspace_not_found" }),
    )
    expect(await paths(stage, session)).toEqual([])
    expect(await eventsOf(stage, "workspace_committed")).toEqual([])
  })

  it("keeps whether a file can be run, and no other bit of a mode", async () => {
    await using stage = await newStage()
    const { session } = stage
    const modes = { script: 0o100755, link: 0o120777, suid: 0o104644, secret: 0o600, none: 0 }
    await commitChanges(
      stage,
      session,
      Object.entries(modes).map(([path, mode]) => put(path, path, { mode })),
      { signal },
    )
    await commitChanges(stage, session, [put("script", "edited")], { signal })
    const { manifest } = await openWorkspace(stage, session, { signal })
    expect(Object.fromEntries(manifest.files.map(({ path, mode }) => [path, mode]))).toEqual({
      script: 0o755,
      link: 0o755,
      suid: 0o644,
      secret: 0o644,
      none: 0o644,
    })
  })

  it("makes a new script executable, and keeps the mode of a file that becomes one", async () => {
    await using stage = await newStage()
    const { session } = stage
    const script = "#!/bin/sh\n"
    await commitChanges(stage, session, [put("run.sh", script), put("plain", script, { mode: 0o644 })], { signal })
    await commitChanges(stage, session, [put("text", "#"), put("run.sh", "echo")], { signal })
    await commitChanges(stage, session, [put("text", script)], { signal })
    const { manifest } = await openWorkspace(stage, session, { signal })
    expect(Object.fromEntries(manifest.files.map(({ path, mode }) => [path, mode]))).toEqual({
      "run.sh": 0o755,
      plain: 0o644,
      text: 0o644,
    })
  })

  it("stores a file's bytes once, and puts nothing again that the version before refers to", async () => {
    await using stage = await newStage()
    const stored: string[] = []
    const blobs = whenPut(stage.blobs, (key) => void (key.includes("/blobs/") && stored.push(key)))
    await commitChanges({ blobs }, stage.session, [put("a", "same"), put("b", "same"), put("c", "other")], { signal })
    expect(stored.sort()).toEqual([shaOf("same"), shaOf("other")].map((sha) => `s/${SID}/1/blobs/${sha}`).sort())
    await commitChanges({ blobs }, stage.session, [put("d", "same")], { signal })
    expect(stored).toHaveLength(2)
  })

  it("of a thousand files is still one version", async () => {
    await using stage = await newStage()
    const files = Array.from({ length: 1000 }, (_, index) => put(`src/file-${index}.ts`, `export const n = ${index}\n`))
    const { version, events } = await commitChanges(stage, stage.session, files, { signal })
    expect({ version, events: events.length }).toEqual({ version: 1, events: 1 })
    expect(await text(stage, stage.session, "src/file-999.ts")).toBe("export const n = 999\n")
  })
})

describe("when another version comes first", () => {
  /** Commits `mine`, and commits `theirs` after the blobs of `mine` and before its event. */
  async function overtaken(
    stage: Stage & { session: SessionLog },
    mine: Parameters<typeof commitChanges>[2],
    theirs: typeof mine,
    base?: boolean,
  ) {
    const other = await stage.join()
    let rounds = 0
    const blobs = whenPut(stage.blobs, async (key) => {
      if (key.includes("/manifests/") && rounds++ === 0) await commitChanges(stage, other, theirs, { signal })
    })
    const options = base ? { base: stage.session.state.workspace, signal } : { signal }
    return commitChanges({ blobs }, stage.session, mine, options)
  }

  it("is made to that one, and loses nothing of it", async () => {
    await using stage = await newStage()
    await commitChanges(stage, stage.session, [put("a", "1"), put("b", "1"), put("dir/c", "1")], { signal })
    const committed = await overtaken(
      stage,
      [put("a", "2"), deletion("b")],
      [put("new", "N"), rename("dir", "folder")],
      true,
    )
    expect(committed.version).toBe(3)
    expect(await paths(stage, stage.session)).toEqual(["a", "folder/c", "new"])
    expect(await text(stage, stage.session, "a")).toBe("2")
    expect((await eventsOf(stage, "workspace_committed")).map((event) => "version" in event && event.version)).toEqual([
      1, 2, 3,
    ])
  })

  it("conflicts only where its base says that the same file changed", async () => {
    await using stage = await newStage()
    await commitChanges(stage, stage.session, [put("a", "1"), put("b", "1")], { signal })
    await expect(overtaken(stage, [put("a", "mine")], [put("a", "theirs")], true)).rejects.toThrow(
      expect.objectContaining({
        code: "workspace_conflict",
        details: { path: "a", current_sha256: shaOf("theirs") },
      }),
    )
    expect(await text(stage, stage.session, "a")).toBe("theirs")
  })

  it("conflicts where something came into the folder that it deletes", async () => {
    await using stage = await newStage()
    await commitChanges(stage, stage.session, [put("dir/a", "1")], { signal })
    await expect(overtaken(stage, [deletion("dir", true)], [put("dir/b", "precious")], true)).rejects.toThrow(conflict)
    expect(await text(stage, stage.session, "dir/b")).toBe("precious")
  })

  it("without a base writes over the same file, and still loses no other", async () => {
    await using stage = await newStage()
    await commitChanges(stage, stage.session, [put("a", "1")], { signal })
    await overtaken(stage, [put("a", "mine")], [put("a", "theirs"), put("b", "theirs")])
    expect(await text(stage, stage.session, "a")).toBe("mine")
    expect(await text(stage, stage.session, "b")).toBe("theirs")
  })

  it("keeps to the bytes that it expected, whoever comes first", async () => {
    await using stage = await newStage()
    await commitChanges(stage, stage.session, [put("a", "1")], { signal })
    const mine = put("a", "mine", { ifSha256: shaOf("1") })
    await expect(overtaken(stage, [mine], [put("a", "theirs")])).rejects.toThrow(conflict)
    const fresh = put("new", "mine", { ifSha256: null })
    await expect(overtaken(stage, [fresh], [put("new", "theirs")])).rejects.toThrow(conflict)
  })

  it("holds an older base than the newest version against it", async () => {
    await using stage = await newStage()
    const { session } = stage
    const base = await commitChanges(stage, session, [put("a", "1"), put("b", "1")], { signal })
    await commitChanges(stage, session, [put("a", "2")], { signal })
    await commitChanges(stage, session, [put("b", "3")], { base, signal })
    await expect(commitChanges(stage, session, [put("a", "3")], { base, signal })).rejects.toThrow(conflict)
    expect(await commitChanges(stage, session, [put("a", "2")], { base, signal })).toMatchObject({
      version: 3,
      events: [],
    })
    const none = { version: 0, manifest: null }
    await expect(commitChanges(stage, session, [put("a", "new")], { base: none, signal })).rejects.toThrow(conflict)
  })
})

describe("a commit of a run", () => {
  const step = "coder:0"

  async function runStage() {
    const stage = await newStage()
    const created = { run_id: "run_1", agent_id: "main", kind: "workflow", model: "m", input: {} } as never
    await stage.session.decide(createRun(created), { signal })
    await stage.session.decide(claimRun("run_1", "exe_1", 0), { signal })
    const guard = (generation: number) => (events: NewEvent[]) => appendAsExecutor("run_1", generation, events)
    return { ...stage, guard }
  }
  const doneSteps = async (session: SessionLog) => (await session.catchUp({ signal })).runs.byId.run_1?.doneSteps

  it("finishes its step, even if it changes nothing", async () => {
    await using stage = await runStage()
    const { session } = stage
    const { version, events } = await commitChanges(stage, session, [], { step, guard: stage.guard(1), signal })
    expect({ version, events: events.length }).toEqual({ version: 1, events: 1 })
    expect(await doneSteps(session)).toEqual([step])
    expect(await paths(stage, session)).toEqual([])
  })

  it("is made once, whatever a successor thinks", async () => {
    await using stage = await runStage()
    const { session } = stage
    await commitChanges(stage, session, [put("a", "1"), put("old", "")], { signal })
    const options = { step, guard: stage.guard(1), signal }
    await commitChanges(stage, session, [rename("old", "new"), put("a", "2")], options)
    const again = await commitChanges(stage, await stage.join(), [rename("old", "new"), put("a", "3")], options)
    expect(again).toMatchObject({ version: 2, events: [] })
    expect(await text(stage, session, "a")).toBe("2")
    expect(await doneSteps(session)).toEqual([step])
  })

  it("is made once by two who make it at once", async () => {
    await using stage = await runStage()
    const other = await stage.join()
    const options = { step, guard: stage.guard(1), signal }
    let met = false
    const blobs = whenPut(stage.blobs, async (key) => {
      if (key.includes("/manifests/") && !met) {
        met = true
        await commitChanges(stage, other, [put("a", "other")], options)
      }
    })
    const committed = await commitChanges({ blobs }, stage.session, [put("a", "mine")], options)
    expect(committed).toMatchObject({ version: 1, events: [] })
    expect(await text(stage, stage.session, "a")).toBe("other")
    expect(await eventsOf(stage, "workspace_committed")).toHaveLength(1)
  })

  it("is refused once another executor has the run, or somebody cancelled it", async () => {
    await using stage = await runStage()
    const { session } = stage
    await session.decide(claimRun("run_1", "exe_2", 1), { signal })
    const stale = { step, guard: stage.guard(1), signal }
    await expect(commitChanges(stage, await stage.join(), [put("a", "1")], stale)).rejects.toThrow(
      expect.objectContaining({ code: "run_superseded" }),
    )
    await session.decide(cancelRun("run_1", "stop", Date.now()), { signal })
    await expect(
      commitChanges(stage, session, [put("a", "1")], { step, guard: stage.guard(2), signal }),
    ).rejects.toThrow(expect.objectContaining({ code: "run_cancelled" }))
    expect(await eventsOf(stage, "workspace_committed")).toEqual([])
  })

  it("is refused when the run is taken over between its blobs and its event", async () => {
    await using stage = await runStage()
    const other = await stage.join()
    const blobs = whenPut(stage.blobs, async (key) => {
      if (key.includes("/manifests/")) await other.decide(claimRun("run_1", "exe_2", 1), { signal })
    })
    const options = { step, guard: stage.guard(1), signal }
    await expect(commitChanges({ blobs }, stage.session, [put("a", "1")], options)).rejects.toThrow(
      expect.objectContaining({ code: "run_superseded" }),
    )
    expect(await eventsOf(stage, "workspace_committed")).toEqual([])
  })
})

describe("a session that is deleted", () => {
  const deleted = expect.objectContaining({ code: "session_deleted" })

  it("takes no commit", async () => {
    await using stage = await newStage()
    await stage.session.decide(deleteSession("request"), { signal })
    await expect(commitChanges(stage, await stage.join(), [put("a", "1")], { signal })).rejects.toThrow(deleted)
    expect(await keys(stage)).toEqual([])
  })

  it("takes no commit that began before, not even once it is opened again", async () => {
    await using stage = await newStage()
    const other = await stage.join()
    const blobs = whenPut(stage.blobs, async (key) => {
      if (!key.includes("/manifests/")) return
      await other.decide(deleteSession("request"), { signal })
      await other.decide(openSession("default"), { signal })
    })
    await expect(commitChanges({ blobs }, stage.session, [put("a", "1")], { signal })).rejects.toThrow(deleted)
    expect(await paths(stage, stage.session)).toEqual([])
    await commitChanges(stage, stage.session, [put("a", "new life")], { signal })
    expect(await keys(stage, `s/${SID}/2/blobs/`)).toEqual([`s/${SID}/2/blobs/${shaOf("new life")}`])
  })
})

describe("a crash", () => {
  it.each(["/blobs/", "/manifests/"])(
    "at a put below %s leaves the files as they were, and only garbage",
    async (part) => {
      await using stage = await newStage()
      const { session } = stage
      await commitChanges(stage, session, [put("a", "1")], { signal })
      const standing = await keys(stage)
      let puts = 0
      const blobs = whenPut(stage.blobs, (key) => {
        if (key.includes(part) && ++puts === (part === "/blobs/" ? 3 : 1))
          throw new AppError("storage_unavailable", "Gone.")
      })
      const changes = [put("a", "2"), put("b", "2"), put("c", "3"), put("d", "4")]
      await expect(commitChanges({ blobs }, session, changes, { signal })).rejects.toThrow("Gone.")
      expect(await text(stage, session, "a")).toBe("1")
      expect((await keys(stage)).length).toBeGreaterThan(standing.length)
      stage.clock.now = () => Date.now() + 25 * 3600_000
      await collectGarbage(stage, session, { signal })
      expect(await keys(stage)).toEqual(standing)
      expect(await text(stage, session, "a")).toBe("1")
    },
  )

  it("between the blobs and the event can be made good by doing it again", async () => {
    await using stage = await newStage()
    const { session } = stage
    const stop = new AbortController()
    const blobs = { ...stage.blobs, put: putThenDie }
    async function putThenDie(...args: Parameters<typeof stage.blobs.put>) {
      const size = await stage.blobs.put(...args)
      if (args[0].includes("/manifests/")) stop.abort(new Error("Killed."))
      return size
    }
    await expect(commitChanges({ blobs }, session, [put("a", "1")], { signal: stop.signal })).rejects.toThrow("Killed.")
    expect(await eventsOf(stage, "workspace_committed")).toEqual([])
    await commitChanges(stage, await stage.join(), [put("a", "1")], { signal })
    expect(await text(stage, session, "a")).toBe("1")
  })
})
