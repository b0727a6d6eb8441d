import type { LogEvent, NewEvent } from "@switchyard/core/events"
import { numberBatch } from "@switchyard/core/log/batch"
import {
  evidenceStatus,
  type GatheredEvidence,
  gather,
  noEvidenceGathered,
} from "@switchyard/core/work/verification/evidence"
import { describe, expect, it } from "vitest"
import { claimed, completed, failed } from "../../kernel/folded.ts"

const run = { run_id: "run_1", agent_id: "main" }
const planned: NewEvent = { type: "verification_planned", ...run, base_commit: "base", checks: [], max_attempts: 5 }
const turn: NewEvent = { type: "agent_turn_started", ...run, cli: "mock", attempt: 1, model: null, pty: "pty_1" }
const begun: NewEvent = { type: "check_started", ...run, name: "test", command: "npm test" }
const ended: NewEvent = {
  ...{ type: "check_finished", ...run, name: "test", command: "npm test", commit: "one", output: "ok" },
  ...{ passed: true, exit_code: 0, duration_ms: 1 },
}
const attempt = (commit: string, passed = true): NewEvent => ({
  ...{ type: "verification_attempt", ...run, attempt_number: 1, commit, passed, issues: passed ? [] : ["No."] },
  ...{ result: passed ? "passed" : "failed", summary: "The checks pass." },
  verdict: { status: passed ? "passed" : "failed", workspace_version: null, commit, checks: [] },
})

function gathered(...events: NewEvent[]): GatheredEvidence {
  const batch = { batchId: "bat_test", writer: "test", at: 1000, events }
  return (numberBatch(batch, 1).events as LogEvent[]).reduce(gather, noEvidenceGathered)
}

const there = { exists: true, commit: "one", uncommitted: false }
const standing = (gathered: GatheredEvidence, status: Partial<typeof there> | undefined = {}) =>
  evidenceStatus(gathered, { ...there, ...status }).state

describe("evidence about work", () => {
  it("is about the commit of its newest attempt, and void for every other state of the work", () => {
    const passed = gathered(claimed(), planned, turn, begun, ended, attempt("one"), completed())
    expect(standing(passed)).toBe("valid")
    expect(standing(passed, { commit: "two" })).toBe("void")
    expect(standing(passed, { uncommitted: true })).toBe("void")
    expect(standing(passed, { exists: false })).toBe("void")
    expect(evidenceStatus(passed, { exists: true, uncommitted: false }).state).toBe("void")
    expect(evidenceStatus(passed, undefined).state).toBe("void")
  })

  it("is void once the agent goes on, even where that ends without a check", () => {
    const before = [claimed(), planned, turn, begun, ended, attempt("one", false)]
    expect(standing(gathered(...before, turn))).toBe("pending")
    expect(standing(gathered(...before, turn, failed()))).toBe("void")
    expect(standing(gathered(...before, failed()))).toBe("valid")
    expect(standing(gathered(claimed(), planned, turn, failed()))).toBe("none")
  })

  it("shows the commands of the attempt that is being made, and of no other", () => {
    const checking = gathered(claimed(), planned, turn, begun, ended, attempt("one"), begun)
    expect([standing(checking), checking.checks.map(({ passed }) => passed)]).toEqual(["checking", [undefined]])
    // The successor starts the attempt again.
    expect(gathered(claimed(), planned, turn, begun, ended, begun, claimed(2)).checks).toEqual([])
    expect(gathered(claimed(), planned, turn, begun, ended, attempt("one"), claimed(2)).checks).toHaveLength(1)
  })
})
