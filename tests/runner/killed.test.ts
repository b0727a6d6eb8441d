import type { LogEvent } from "@switchyard/core/events"
import { reviewerAccount } from "@switchyard/core/people/accounts/reviewer-account"
import { cancelRun, relaunchRun } from "@switchyard/core/work/runs/rules"
import { isEnded, runOf } from "@switchyard/core/work/runs/state"
import { describe, expect, it } from "vitest"
import { itDeep } from "../depth.ts"
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

  itDeep("during a review is followed by one that reviews the work anew, and leaves no reviewer behind", async () => {
    await using depot = await openDepot()
    const reviewer = { cli: "mock" as const, account: null, model: null, reasoning: null }
    const verification = { allow_test_changes: false, max_attempts: 5, reviewer }
    const runId = await depot.create({ reviews: [{ hangs: true }] }, null, { verification })
    const fallbacks = { [reviewerAccount(null)]: { api_key: null, base_url: null, home: "reviewer" } }
    const first = depot.start()
    first.run(runId, 0, {}, fallbacks)
    const begun = await depot.seen("review_started")
    await depot.seen("terminal_opened", begun.seq)
    first.child.kill("SIGKILL")
    await first.exited
    await depot.session.catchUp({ signal })
    const run = runOf(depot.session.state, runId)
    if (!run) throw new Error("The run is gone.")
    await depot.session.decide(relaunchRun(run, "its executor was presumed dead", Date.now()), { signal })
    const second = depot.start()
    second.run(runId, run.generation, {}, fallbacks)
    const again = await depot.seen("review_started", begun.seq)
    expect(again).toMatchObject({ attempt_number: 1, commit: begun.commit, reviewer })
    await depot.seen("terminal_opened", again.seq)
    await depot.session.decide(cancelRun(runId, "a person said so", Date.now()), { signal })
    await depot.seen("run_cancelled")
    await expect.poll(() => processesWith(`HOME=${depot.folder}`)).toEqual([])
    expect((await depot.events()).filter(({ type }) => type === "verification_attempt")).toEqual([])
  })
})
