import { AppError } from "@switchyard/core/errors"
import type { LogEvent, NewEvent } from "@switchyard/core/events"
import { openSession } from "@switchyard/core/kernel/rules"
import type { Rule } from "@switchyard/core/kernel/session-log"
import { applyEvent, emptySession } from "@switchyard/core/state"
import { createRun } from "@switchyard/core/work/runs/admission"
import { cancelRun, claimRun, endRun, parkRun, resumeRun } from "@switchyard/core/work/runs/rules"
import { runOf } from "@switchyard/core/work/runs/state"
import { wakeRun } from "@switchyard/core/work/runs/waking"
import fc from "fast-check"
import { expect, it } from "vitest"
import { cases } from "../../../settings.ts"

const UNTIL = Date.parse("2026-11-24T16:00:00Z")

/** Creates a session in memory with a run that is parked until a limit resets. */
function parkedSession() {
  let state = emptySession
  const log: NewEvent[] = []
  function decide(rule: Rule): boolean {
    const verdict = rule(state)
    if (verdict instanceof AppError) return false
    for (const event of verdict) {
      const header = { event_id: `e${state.head + 1}`, seq: state.head + 1, ts: new Date(UNTIL).toISOString() }
      state = applyEvent(state, { ...event, ...header } as LogEvent)
      log.push(event)
    }
    return verdict.length > 0
  }
  const input = { task: "x", cli: "mock" as const, account: "a", model: null, reasoning: null, repository: null }
  const created = { run_id: "run_1", agent_id: "main", kind: "agent" as const, model: "mock/default" }
  decide(openSession("s"))
  decide(createRun({ ...created, input: { ...input, terminal: { rows: 24, cols: 80 } } }))
  decide(claimRun("run_1", "first", 0))
  decide(parkRun("run_1", 1, { reason: "limit", waitsFor: { until: new Date(UNTIL).toISOString() }, now: UNTIL - 9e6 }))
  return { decide, log, run: () => runOf(state, "run_1") }
}

const step = fc.oneof(
  // Sweeps may run at once, and their clocks may be off by minutes.
  fc.record({ do: fc.constant("sweep" as const), skewMs: fc.integer({ min: -600_000, max: 600_000 }) }),
  fc.record({ do: fc.constantFrom("resume" as const, "cancel" as const, "launch" as const, "work" as const) }),
)

it("goes on once after a limit is reset, whoever wakes it and how often, and never after it was cancelled", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
      const { decide, log, run } = parkedSession()
      const claims: number[] = []
      let wasCancelled = false
      for (const each of steps) {
        if (each.do === "sweep") decide(wakeRun("run_1", UNTIL + each.skewMs))
        if (each.do === "resume") decide(resumeRun("run_1"))
        if (each.do === "cancel") {
          decide(cancelRun("run_1", "asked for", UNTIL))
          wasCancelled ||= run()?.status === "cancelled"
        }
        // Launches are sent more than once, and arrive late.
        if (each.do === "launch" && decide(claimRun("run_1", "next", 1))) {
          expect(wasCancelled).toBe(false)
          claims.push(run()?.generation ?? 0)
        }
        if (each.do === "work" && run()?.status === "running") {
          decide(endRun("run_1", run()?.generation ?? 0, UNTIL, { type: "run_completed" }))
        }
      }
      expect(claims.length).toBeLessThanOrEqual(1)
      expect(log.filter(({ type }) => type === "run_resumed").length).toBeLessThanOrEqual(1)
      // Finally, a sweep and a launch after the reset complete the run, unless it has already ended.
      decide(wakeRun("run_1", UNTIL))
      decide(claimRun("run_1", "last", 1))
      if (!wasCancelled && run()?.status === "running") {
        decide(endRun("run_1", run()?.generation ?? 0, UNTIL, { type: "run_completed" }))
      }
      expect(["completed", "cancelled"]).toContain(run()?.status)
    }),
    { numRuns: cases({ usual: 1000, deep: 10_000 }) },
  )
})
