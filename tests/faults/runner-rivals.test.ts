import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { processesWith } from "../runner/agents/workshop.ts"
import { openDepot } from "../runner/runner-process.ts"
import { never } from "../settings.ts"

const signal = never

describe("runners of two servers that are sent the same run", () => {
  it("claim it once: one works, the other goes, and nothing is in the log or the files twice", async () => {
    await using depot = await openDepot()
    const runId = await depot.create({ duration_ms: 500, files: { "a.txt": "once\n" }, orphans: 1 })
    const runners = Array.from({ length: 3 }, () => depot.start())
    for (const runner of runners) runner.run(runId)
    // The first runner to claim the session may have begun the run. A later claim of the session makes it hand the run
    // over.
    await Promise.race(runners.map(({ exited }) => exited))
    const newest = async () => {
      const generations = await Promise.all(runners.map(({ claimed }) => claimed))
      return runners[generations.indexOf(Math.max(...generations))]
    }
    const winner = await newest()
    const losers = runners.filter((runner) => runner !== winner)
    expect(await Promise.all(losers.map(({ exited }) => exited))).toEqual([
      { code: 0, signal: null },
      { code: 0, signal: null },
    ])
    expect(losers.map((runner) => runner.stderr())).toEqual(["", ""])
    await depot.session.catchUp({ signal })
    const run = depot.session.state.runs.byId[runId]
    if (run?.status === "queued") winner?.run(runId, run.generation)
    await depot.seen("run_completed")

    const events = await depot.events()
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length)
    const claims = events.flatMap((event) => (event.type === "run_claimed" ? [event.generation] : []))
    expect(claims).toEqual(claims.map((_, index) => index + 1))
    expect(events.filter(({ type }) => type === "run_completed")).toHaveLength(1)
    const opened = events.flatMap((event) => (event.type === "terminal_opened" ? [event.pty] : []))
    const closed = events.flatMap((event) => (event.type === "terminal_closed" ? [event.pty] : []))
    expect(closed.sort()).toEqual(opened.sort())
    // Earlier events may be from a runner that handed the run over before it had a worktree.
    const paths = events.flatMap((event) => (event.type === "worktree_changed" ? [event.status.path] : []))
    expect(readFileSync(join(paths.at(-1) ?? "", "a.txt"), "utf8")).toBe("once\n")
    expect(await processesWith(`HOME=${depot.folder}`)).toEqual([])
  })
})
