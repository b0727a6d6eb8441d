import type { LogEvent, NewEvent } from "@switchyard/core/events"
import { emptySession } from "@switchyard/core/state"
import { type CheckRun, createGate } from "@switchyard/core/work/gate/gate"
import { RunParked } from "@switchyard/core/work/runs/run-context"
import { describe, expect, it } from "vitest"
import { never } from "../../../settings.ts"

const requested = (round: number, check_run_id: string) =>
  ({ type: "check_requested", round, check_run_id, workspace_version: 0 }) as LogEvent

/** Creates the gate of a run whose log contains these events. */
function gateOver(events: LogEvent[]) {
  const started: Pick<CheckRun, "runId">[] = []
  const asked: NewEvent[] = []
  let readings = 0
  const context = {
    runId: "run_1",
    signal: never,
    state: () => emptySession,
    catchUp: async () => emptySession,
    async *history() {
      readings++
      yield* events
    },
    write: async (written: NewEvent[]) => void asked.push(...written),
  }
  const startCheck = async (_: object, check: Pick<CheckRun, "runId">) => void started.push(check)
  const gate = createGate({ context, newId: (prefix) => `${prefix}_new`, startCheck })
  return { gate, started, asked, readings: () => readings }
}

describe("the gate of a run", () => {
  it("reads the run's history once, however often it is asked", async () => {
    const { gate, started, asked, readings } = gateOver([requested(1, "run_old")])
    expect([await gate.isAsked(1), await gate.isAsked(2)]).toEqual([true, false])
    await expect(gate.show(1)).rejects.toThrow(RunParked)
    await expect(gate.show(2)).rejects.toThrow(RunParked)
    expect(started.map(({ runId }) => runId)).toEqual(["run_old", "run_new"])
    expect([asked.length, readings()]).toEqual([1, 1])
  })

  it("asks for the check of a round once", async () => {
    const { gate, asked } = gateOver([])
    await expect(gate.show(1)).rejects.toThrow(RunParked)
    await expect(gate.show(1)).rejects.toThrow(RunParked)
    expect(await gate.isAsked(1)).toBe(true)
    expect(asked).toHaveLength(1)
  })
})
