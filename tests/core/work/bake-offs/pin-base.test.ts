import type { NewEvent } from "@switchyard/core/events"
import { bakeOffOf, pinBase } from "@switchyard/core/work/bake-offs/pin-base"
import { expect, it } from "vitest"
import { opened, stateAfter, verdict } from "../../kernel/folded.ts"

const program = { cli: "mock" as const, account: null, model: null, reasoning: null }
const entrants = ["one", "two"].map((name) => {
  return { agent_id: `agt_${name}`, name, worktree: name, ...program, run_id: `run_${name}` }
})
const started: NewEvent = { type: "bake_off_started", bake_off_id: "bko_1", title: "x", verify: true, entrants }

it("is the commit of the entrant that begins first, for all others and for no other run", () => {
  const state = stateAfter([opened(), started])
  expect(bakeOffOf(state, "run_two")?.baseCommit).toBeNull()
  expect(verdict(pinBase("run_other", "c0ffee"), state)).toEqual([])
  const decided = pinBase("run_two", "c0ffee")(state)
  const pinned = Array.isArray(decided) ? stateAfter(decided, { state }) : expect.unreachable(decided.message)
  expect(verdict(pinBase("run_one", "decade"), pinned)).toEqual([])
  expect(bakeOffOf(pinned, "run_one")?.baseCommit).toBe("c0ffee")
})
