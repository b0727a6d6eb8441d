import { reportQueued } from "@switchyard/core/agents/runner/waiting-runs"
import type { NewEvent } from "@switchyard/core/events"
import { describe, expect, it } from "vitest"
import { claimed, created, handedOver, opened, relaunched, stateAfter } from "../../kernel/folded.ts"

const agent = (run: string, name: string): NewEvent => ({ ...created(run, name), kind: "agent" })
const requested: NewEvent = {
  ...{ type: "runner_awaited", run_id: "run_1", agent_id: "main" },
  ...{ generation: 1, attempt: 1, phase: "requested" },
}

/** Returns the reports about runs, with the number of sessions ahead. A number in `happens` asks for such a report. */
function reports(...happens: (number | NewEvent)[]): string[] {
  let state = stateAfter([opened(), agent("run_1", "main")])
  return happens.flatMap((one) => {
    const verdict = typeof one === "number" ? reportQueued(one)(state) : [one]
    if (!Array.isArray(verdict)) throw verdict
    state = stateAfter(verdict, { state })
    return verdict.flatMap((event) =>
      event.type === "runner_awaited" && event.reason ? `${event.run_id}: ${/\d+/.exec(event.reason)?.[0]}` : [],
    )
  })
}

describe("the position of a waiting run", () => {
  it("is reported once, and again when it changes", () => {
    expect(reports(2, 2, 1, 1, 2)).toEqual(["run_1: 2", "run_1: 1", "run_1: 2"])
  })

  it("is reported again after the run waited for something else", () => {
    expect(reports(1, requested, 1)).toEqual(["run_1: 1", "run_1: 1"])
    expect(reports(1, relaunched(2), 1)).toEqual(["run_1: 1", "run_1: 1"])
    expect(reports(1, claimed(), handedOver(), 1, 1)).toEqual(["run_1: 1", "run_1: 1"])
  })

  it("is reported for each run of a session", () => {
    expect(reports(0, agent("run_2", "second"), 0)).toEqual(["run_1: 0", "run_2: 0"])
  })
})
