import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cancelRun, relaunchRun } from "@switchyard/core/work/runs/rules"
import { runOf } from "@switchyard/core/work/runs/state"
import { describe, expect, it } from "vitest"
import { itDeep } from "../depth.ts"
import { never } from "../settings.ts"
import { type Daemon, daemons, quietDaemon, running, survivors } from "./daemons.ts"
import { type Depot, openDepot } from "./runner-process.ts"

const signal = never

/** Writes an agent that starts all these daemons and then runs the last lines. Returns its folder. */
function agentWith(depot: Depot, all: Daemon[], last: string[]): string {
  const programs = join(depot.folder, "programs")
  mkdirSync(programs, { recursive: true })
  const lines = [
    "#!/bin/sh",
    'case " $* " in *" app-server "*) exit 2 ;; esac',
    ...all.map(({ script }) => script),
    ...last,
  ]
  writeFileSync(join(programs, "codex"), lines.join("\n"), { mode: 0o755 })
  return programs
}

const said = [
  { type: "thread.started", thread_id: "t" },
  { type: "item.completed", item: { id: "item_0", type: "agent_message", text: '{"change_summary":"Done."}' } },
  { type: "turn.completed", usage: {} },
].map((event) => `echo '${JSON.stringify(event)}'`)

describe("the daemons of an agent", () => {
  it("end with its task", async () => {
    await using depot = await openDepot()
    const all = daemons()
    const ready = join(depot.folder, "ready")
    const runner = depot.start({
      programs: [agentWith(depot, all, [`until [ -e ${ready} ]; do sleep 0.05; done`, ...said])],
    })
    runner.run(await depot.create({}, null, { cli: "codex" }))
    await running(all)
    writeFileSync(ready, "")
    await depot.seen("run_completed")
    expect(await survivors(all)).toEqual([])
    expect(runner.stderr()).toBe("")
  })

  itDeep("end when it is cancelled", async () => {
    await using depot = await openDepot()
    const all = daemons()
    const runId = await depot.create({}, null, { cli: "codex" })
    const runner = depot.start({ programs: [agentWith(depot, all, [...said.slice(0, 1), "sleep 1000"])] })
    runner.run(runId)
    await running(all)
    await depot.session.catchUp({ signal })
    await depot.session.decide(cancelRun(runId, "test", Date.now()), { signal })
    await Promise.all([depot.seen("run_cancelled"), depot.seen("terminal_closed")])
    expect(await survivors(all)).toEqual([])
    expect(runner.stderr()).toBe("")
  })

  itDeep("end when its runner is killed, though no other takes its place", async () => {
    await using depot = await openDepot()
    const all = [quietDaemon()]
    const runner = depot.start({ programs: [agentWith(depot, all, [...said.slice(0, 1), "sleep 1000"])] })
    runner.run(await depot.create({}, null, { cli: "codex" }))
    await running(all)
    runner.child.kill("SIGKILL")
    await runner.exited
    await expect.poll(() => survivors(all)).toEqual([])
  })

  it("end when its runner is killed, before another takes its place", async () => {
    await using depot = await openDepot()
    const all = daemons()
    const runId = await depot.create({}, null, { cli: "codex" })
    const programs = [agentWith(depot, all, [...said.slice(0, 1), "sleep 1000"])]
    const first = depot.start({ programs })
    first.run(runId)
    await running(all)
    first.child.kill("SIGKILL")
    await first.exited
    await depot.session.catchUp({ signal })
    const run = runOf(depot.session.state, runId)
    if (!run) throw new Error("The run is gone.")
    await depot.session.decide(relaunchRun(run, "its executor was presumed dead", Date.now()), { signal })
    const second = depot.start({ programs })
    await second.claimed
    expect(await survivors(all)).toEqual([])
    expect(second.stderr()).toBe("")
  })
})
