import type { LogEvent } from "@switchyard/core/events"
import { relaunchRun } from "@switchyard/core/work/runs/rules"
import { isEnded, runOf } from "@switchyard/core/work/runs/state"
import { describe, expect, it } from "vitest"
import { seeded } from "../faults/random.ts"
import { cases, never } from "../settings.ts"
import { processesWith } from "./agents/workshop.ts"
import { openDepot } from "./runner-process.ts"

const signal = never

describe("a runner that is killed", () => {
  it.each(Array.from({ length: cases({ usual: 2, deep: 20 }) }, (_, seed) => seed))(
    "loses nothing that was appended, and a new one ends what it left and carries on (seed %i)",
    async (seed) => {
      await using depot = await openDepot()
      const random = seeded(seed)
      const runId = await depot.create({ duration_ms: 200, orphans: 1, files: { "a.txt": `${seed}\n` } })
      const first = depot.start()
      first.run(runId)
      // So many events after the claim; some instants lie after the end.
      const enough = random.between(1, 16)
      let before: LogEvent[] = []
      await expect
        .poll(
          async () => {
            before = await depot.events()
            return before.length >= enough || before.some(({ type }) => type === "run_completed")
          },
          { interval: 5 },
        )
        .toBe(true)
      first.child.kill("SIGKILL")
      await first.exited
      await depot.session.catchUp({ signal })
      const run = runOf(depot.session.state, runId)
      if (!run) throw new Error("The run is gone.")
      const second = depot.start()
      if (!isEnded(run)) {
        if (run.generation > 0) {
          await depot.session.decide(relaunchRun(run, "its executor was presumed dead", Date.now()), { signal })
        }
        second.run(runId, run.generation)
      }
      await second.claimed
      await depot.seen("run_completed")
      const after = await depot.events()
      expect(after.slice(0, before.length)).toEqual(before)
      const open = new Set<string>()
      for (const event of after) {
        if (event.type === "terminal_opened") open.add(event.pty)
        if (event.type === "terminal_closed") open.delete(event.pty)
      }
      expect([...open]).toEqual([])
      expect(await processesWith(`HOME=${depot.folder}`)).toEqual([])
      expect(second.stderr()).toBe("")
    },
  )
})
