import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import { relaunchRun } from "@switchyard/core/work/runs/rules"
import { isEnded, runOf } from "@switchyard/core/work/runs/state"
import { describe, expect, it } from "vitest"
import { seeded } from "../faults/random.ts"
import { cases, never } from "../settings.ts"
import { type Depot, openDepot, type Runner } from "./runner-process.ts"
import { worktreeFolder } from "./worktree-folder.ts"

const signal = never
const AGENTS = ["main", "api"]

/** Returns an agent's events of this type. */
async function ofAgent(depot: Depot, agentId: string, type: string) {
  return (await depot.events()).filter((event) => event.type === type && event.agent_id === agentId)
}

/** Resolves once all these runs have completed. */
async function completed(depot: Depot, runIds: string[]): Promise<void> {
  const left = new Set(runIds)
  for (let since = 0; left.size > 0; ) {
    const event = await depot.seen("run_completed", since)
    since = event.seq
    left.delete(event.run_id)
  }
}

/** Gives all agents a task at once, each in its own worktree. Returns the run ids. */
async function giveAll(depot: Depot, runner: Runner, knobs: (agentId: string) => object): Promise<string[]> {
  const runIds: string[] = []
  for (const agentId of AGENTS) runIds.push(await depot.create(knobs(agentId), null, { agentId }))
  for (const runId of runIds) runner.run(runId)
  return runIds
}

/** Starts another runner that executes the unfinished runs. */
async function takeOver(depot: Depot, runIds: string[]): Promise<Runner> {
  const runner = depot.start()
  for (const runId of runIds) {
    await depot.session.catchUp({ signal })
    const run = runOf(depot.session.state, runId)
    if (!run || isEnded(run)) continue
    if (run.generation > 0) await depot.session.decide(relaunchRun(run, "its runner died", Date.now()), { signal })
    runner.run(runId, run.generation)
  }
  return runner
}

describe("a runner of two agents", () => {
  it.each(Array.from({ length: cases({ usual: 1, deep: 20 }) }, (_, seed) => seed))(
    "that is killed leaves both to the next, which mixes nothing up and does nothing twice (seed %i)",
    async (seed) => {
      await using depot = await openDepot()
      const random = seeded(seed)
      const first = depot.start()
      const runIds = await giveAll(depot, first, (id) => ({ duration_ms: 200, files: { [`${id}.txt`]: `${id}\n` } }))
      const enough = random.between(3, 30)
      await expect.poll(async () => (await depot.events()).length >= enough, { interval: 5 }).toBe(true)
      first.child.kill("SIGKILL")
      await first.exited
      const second = await takeOver(depot, runIds)
      await completed(depot, runIds)

      for (const id of AGENTS) {
        expect(readdirSync(await worktreeFolder(depot, id)).filter((name) => name.endsWith(".txt"))).toEqual([
          `${id}.txt`,
        ])
        expect(await ofAgent(depot, id, "run_completed")).toHaveLength(1)
      }
      const open = new Set<string>()
      for (const event of await depot.events()) {
        if (event.type === "terminal_opened") open.add(event.pty)
        if (event.type === "terminal_closed") open.delete(event.pty)
      }
      expect([...open]).toEqual([])
      expect(second.stderr()).toBe("")
    },
  )

  it("whose machine is lost is followed by one that has the work and the memory of each", async () => {
    await using depot = await openDepot()
    const first = depot.start()
    await completed(depot, await giveAll(depot, first, (id) => ({ files: { [`${id}.txt`]: `${id}\n` } })))
    const trees = new Map<string, string>()
    for (const id of AGENTS) {
      const path = await worktreeFolder(depot, id)
      writeFileSync(join(path, "large.bin"), Buffer.alloc(21 * 1024 * 1024, id))
      trees.set(id, path)
    }
    await completed(depot, await giveAll(depot, first, () => ({ files: {} })))
    first.child.kill("SIGTERM")
    await first.exited
    for (const name of ["projects", "homes", "runner"]) rmSync(join(depot.folder, name), { recursive: true })

    const second = depot.start()
    await completed(depot, await giveAll(depot, second, () => ({ files: {} })))
    for (const [id, tree] of trees) {
      expect(readFileSync(join(tree, "large.bin")).subarray(0, id.length).toString()).toBe(id)
      const sessions = await ofAgent(depot, id, "agent_session_opened")
      expect(new Set(sessions.map((event) => "native_session_id" in event && event.native_session_id)).size).toBe(1)
    }
    expect(trees.get("api")).not.toBe(trees.get("main"))
    await depot.session.catchUp({ signal })
    expect(worktreeOf(depot.session.state, "api").savedSeq).not.toBe(worktreeOf(depot.session.state, "main").savedSeq)
    expect(second.stderr()).toBe("")
  })
})
