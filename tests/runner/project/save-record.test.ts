import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { EventOf } from "@switchyard/core/events"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import { cancelRun, relaunchRun } from "@switchyard/core/work/runs/rules"
import { runOf } from "@switchyard/core/work/runs/state"
import { describe, expect, it, onTestFinished } from "vitest"
import { describeDeep } from "../../depth.ts"
import { removeFolder } from "../../remove-folder.ts"
import { cases, never } from "../../settings.ts"
import { type Depot, openDepot } from "../runner-process.ts"
import { worktreeFolder } from "../worktree-folder.ts"

const signal = never

/** More than two portions of a save. */
const FILES = cases({ usual: 4500, deep: 6500 })

/** Deletes everything that a runner has only on its own disk. */
async function loseDisk({ folder }: Depot): Promise<void> {
  for (const name of ["projects", "homes", "runner"]) await removeFolder(join(folder, name), { kill: true })
}

/** Resolves once the worktree's save has all of `files` and none of `without`. */
async function saved(depot: Depot, tree: string, files: string[], without: string[] = []): Promise<void> {
  for (let since = 0; ; ) {
    const event: EventOf<"project_saved"> = await depot.seen("project_saved", since)
    since = event.seq
    const { tip } = event.save as { tip: string | null }
    const found = execFileSync("git", ["ls-tree", "-r", "--name-only", `${tip}:files`], { cwd: tree, encoding: "utf8" })
    const paths = new Set(found.split("\n"))
    if (files.every((path) => paths.has(path)) && !without.some((path) => paths.has(path))) return
  }
}

describe("a runner whose machine is lost", () => {
  it("costs what changed since the last save: another goes on with the work and in the agent's own session", async () => {
    await using depot = await openDepot()
    const first = depot.start({ save_every_ms: 50 })
    first.run(await depot.create({ files: { "done.txt": "done\n" } }))
    const done = await depot.seen("run_completed")
    const go = join(await mkdtemp(join(tmpdir(), "switchyard-go-")), "go")
    onTestFinished(() => rm(dirname(go), { recursive: true }))
    const commands = [`until [ -e ${go} ]; do sleep 0.1; done`]
    const runId = await depot.create({ commands, files: { "end.txt": "end\n" } })
    first.run(runId)
    await depot.seen("agent_session_opened", done.seq)
    const tree = await worktreeFolder(depot)
    writeFileSync(join(tree, "half.txt"), "half\n")
    writeFileSync(join(tree, "run.sh"), "#!/bin/sh\n", { mode: 0o755 })
    symlinkSync("half.txt", join(tree, "link"))
    rmSync(join(tree, "done.txt"))
    await saved(depot, tree, ["half.txt", "run.sh", "link"], ["done.txt"])
    first.child.kill("SIGKILL")
    await first.exited
    const before = await depot.events()
    await loseDisk(depot)

    await depot.session.catchUp({ signal })
    const run = runOf(depot.session.state, runId)
    if (!run) throw new Error("The run is gone.")
    await depot.session.decide(relaunchRun(run, "its executor was presumed dead", Date.now()), { signal })
    writeFileSync(go, "")
    const second = depot.start()
    second.run(runId, run.generation)
    await depot.seen("run_completed", before.length)

    expect(readFileSync(join(tree, "half.txt"), "utf8")).toBe("half\n")
    expect(execFileSync(join(tree, "run.sh")).toString()).toBe("")
    expect(readFileSync(join(tree, "link"), "utf8")).toBe("half\n")
    expect(existsSync(join(tree, "done.txt"))).toBe(false)
    expect(readFileSync(join(tree, "end.txt"), "utf8")).toBe("end\n")
    expect(execFileSync("git", ["log", "--format=%s"], { cwd: tree, encoding: "utf8" })).toMatch(/Try it(.|\n)*Try it/)
    const events = await depot.events()
    expect(events.slice(0, before.length)).toEqual(before)
    const sessions = events.filter((event) => event.type === "agent_session_opened")
    expect(new Set(sessions.map((event) => event.native_session_id)).size).toBe(1)
    const turns = events.filter((event) => event.type === "agent_turn_finished")
    expect(turns.map(({ outcome }) => outcome)).toMatchObject([
      { type: "completed" },
      { type: "failed", problem: "interrupted" },
      { type: "completed" },
    ])
    expect(second.stderr()).toBe("")
  })
})

describe("what an agent made that didn't end well", () => {
  it("is among the session's files when its run is cancelled, and a new machine has all of it", async () => {
    await using depot = await openDepot()
    const runner = depot.start()
    const runId = await depot.create({ hangs: true })
    runner.run(runId)
    await depot.seen("agent_session_opened")
    const tree = await worktreeFolder(depot)
    writeFileSync(join(tree, "half.txt"), "half\n")
    writeFileSync(join(tree, "large.bin"), Buffer.alloc(21 * 1024 * 1024))
    await depot.session.decide(cancelRun(runId, "enough", 0), { signal })
    await depot.seen("run_cancelled")
    await saved(depot, tree, ["half.txt"])
    await depot.seen("workspace_committed")
    await depot.session.catchUp({ signal })
    const workspace = await openWorkspace(depot.deps, depot.session, { signal })
    expect(await workspace.readText(workspacePath("half.txt"), { signal })).toBe("half\n")
    let told = await depot.seen("worktree_changed")
    while (!told.status.left_out) told = await depot.seen("worktree_changed", told.seq)
    expect(told.status.left_out).toEqual([{ path: "large.bin", reason: "too_large" }])

    runner.child.kill("SIGTERM")
    expect(await runner.exited).toMatchObject({ code: 0 })
    await loseDisk(depot)
    const next = depot.start()
    next.run(await depot.create({ files: { "more.txt": "more\n" } }))
    await depot.seen("run_completed")
    expect(readFileSync(join(tree, "half.txt"), "utf8")).toBe("half\n")
    expect(readFileSync(join(tree, "large.bin")).length).toBe(21 * 1024 * 1024)
    const notices = (await depot.events()).filter((event) => event.type === "agent_notice")
    expect(notices.map(({ text }) => text)).toEqual(["Not saved in the session's files: large.bin (too large)."])
    expect(next.stderr()).toBe("")
  })
})

describeDeep("very many files that a runner was saving when its machine was lost", () => {
  it("are all saved by the next one, that goes on from the last save of the work", async () => {
    await using depot = await openDepot()
    const first = depot.start()
    first.run(await depot.create({ files: { "a.txt": "a\n" } }))
    const done = await depot.seen("run_completed")
    const tree = await worktreeFolder(depot)
    mkdirSync(join(tree, "many"))
    for (let index = 0; index < FILES; index++) writeFileSync(join(tree, "many", `${index}.txt`), `${index}\n`)
    first.run(await depot.create({ files: { "b.txt": "b\n" } }))
    await depot.seen("run_completed", done.seq)
    first.child.kill("SIGKILL")
    await first.exited
    await loseDisk(depot)
    await depot.session.catchUp({ signal })
    expect(worktreeOf(depot.session.state).saving).not.toBeNull()

    const { seq } = (await depot.events()).at(-1) ?? { seq: 0 }
    const second = depot.start()
    for (let since = seq; ; ) {
      const { saved, total, seq: at } = await depot.seen("workspace_save_progressed", since)
      since = at
      if (saved === total) break
    }
    await depot.session.catchUp({ signal })
    const workspace = await openWorkspace(depot.deps, depot.session, { signal })
    expect(await workspace.readText(workspacePath(`many/${FILES - 1}.txt`), { signal })).toBe(`${FILES - 1}\n`)
    expect(depot.session.state.workspace.files).toBe(FILES + 2)
    expect(worktreeOf(depot.session.state).saving).toBeNull()
    expect(second.stderr()).toBe("")
  })
})
