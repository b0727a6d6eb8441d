import type { NewEvent } from "@switchyard/core/events"
import { logName } from "@switchyard/core/kernel/keys"
import { createLog } from "@switchyard/core/log/log"
import { runCostText } from "@switchyard/core/people/usage/amounts"
import { describeRun } from "@switchyard/core/sessions/run-view"
import { emptySession } from "@switchyard/core/state"
import { systemClock } from "@switchyard/core/time"
import { runOf } from "@switchyard/core/work/runs/state"
import { type ContainerSize, machineHourUsd } from "@switchyard/core/work/usage/machines"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores } from "../../fixtures/stores.ts"
import { created, opened, stateAfter } from "../kernel/folded.ts"
import { noSignal } from "../log/store.ts"

const options = { signal: noSignal() }
const AT = Date.UTC(2025, 10, 20, 12)
const run = { run_id: "run_1", agent_id: "main" }
const usage = { input: 1_000_000, cache_read: null, cache_write: null, output: 0 }
const claimed = (executor: string): NewEvent => ({ type: "run_claimed", ...run, generation: 1, executor })
const asked = (model: string, used = usage): NewEvent => ({ type: "model_usage", ...run, model, usage: used })
const completed: NewEvent = { type: "run_completed", ...run, duration_ms: 1, workspace_version: 0 }

let stores: Awaited<ReturnType<typeof openStores>>
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

/** Resolves to the cost of a run that uses a machine for half an hour, as the API returns it and as people see it. */
const costOf = (executor: string, ...used: NewEvent[]) =>
  described([opened(), created(), claimed(executor)], [...used, completed])

let sessions = 0

/** Resolves to the cost of a run after these batches, which are half an hour apart. */
async function described(...batches: NewEvent[][]) {
  return describedOn(undefined, ...batches)
}

/** Does the same with containers of this size. */
async function describedOn(container: ContainerSize | undefined, ...batches: NewEvent[][]) {
  const { records, blobs } = stores
  const log = createLog({ records, blobs, clock: systemClock })
  const sid = `session-${++sessions}`
  let state = emptySession
  for (const [n, events] of batches.entries()) {
    const at = AT + n * 1_800_000
    const batch = { batchId: `bat_${n}`, writer: "test", at, events }
    await log.append(logName(sid), state.head, batch, { artifacts: `s/${sid}/`, ...options })
    state = stateAfter(events, { at, state })
  }
  const found = runOf(state, "run_1")
  if (!found) throw new Error("The run is gone.")
  const ref = { run_id: "run_1", owner: "ada", sid, session_id: "mine", created_at: AT }
  const deps = { log, launcher: {}, ...(container && { container }) }
  const { cost } = await describeRun(deps, { ref, run: found, usage: state.usage.runs.run_1 }, options)
  return { cost, text: runCostText(cost) }
}

describe("the cost of a run", () => {
  it("has its model's price, and beside it its machine's", async () => {
    const { cost, text } = await costOf("ecs-1", asked("anthropic/claude-haiku-4-5"))
    expect(cost).toMatchObject({ cost_usd: 1, cost_is_complete: true, machine_seconds: 1800 })
    expect(cost?.machine_usd).toBeCloseTo(machineHourUsd("container") / 2, 10)
    expect([cost?.prices_as_of, cost?.machine_prices_as_of]).toEqual(Array(2).fill(expect.stringMatching(/^\d{4}-/)))
    expect(text).toBe("$1.00 for the model, $0.03 for the machine")
  })

  it("has the price of a container of the stage's size", async () => {
    const large = { architecture: "arm64" as const, vcpu: 16, gb: 64, diskGb: 200 }
    const { cost } = await describedOn(large, [opened(), created(), claimed("ecs-1")], [completed])
    expect(cost?.machine_usd).toBeCloseTo(machineHourUsd("container", large) / 2, 10)
  })

  it("has the price of the size that its container was requested with", async () => {
    const awaited: NewEvent = { type: "runner_awaited", generation: 1, attempt: 1, phase: "requested" }
    const large = { ...awaited, size: "4x16x120" }
    const sized = { architecture: "arm64" as const, vcpu: 4, gb: 16, diskGb: 120 }
    const first = await described([opened(), created(), large, claimed("ecs-1")], [completed])
    expect(first.cost?.machine_seconds).toBe(1800)
    expect(first.cost?.machine_usd).toBeCloseTo(machineHourUsd("container", sized) / 2, 10)
    // Half an hour in the large container, then half an hour in a default one.
    const relaunched: NewEvent = { type: "run_parked", ...run, generation: 1, reason: "idle" }
    const again = { ...claimed("ecs-2"), generation: 2 } as NewEvent
    const both = await described(
      [opened(), created(), large, claimed("ecs-1")],
      [relaunched, awaited, again],
      [completed],
    )
    expect(both.cost?.machine_seconds).toBe(3600)
    const usd = (machineHourUsd("container", sized) + machineHourUsd("container")) / 2
    expect(both.cost?.machine_usd).toBeCloseTo(usd, 10)
  })

  it("has no price for a machine of one's own, which isn't zero", async () => {
    const { cost, text } = await costOf("a-laptop", asked("anthropic/claude-haiku-4-5"))
    expect(cost).toMatchObject({ cost_usd: 1, machine_seconds: null, machine_usd: null })
    expect(text).toBe("$1.00 for the model")
  })

  it("has no price of a model that isn't known, or that nobody counted, which isn't zero", async () => {
    for (const used of [[asked("groq/llama")], []]) {
      const { cost, text } = await costOf("ecs-1", ...used)
      expect(cost).toMatchObject({ cost_usd: null, cost_is_complete: false, machine_seconds: 1800 })
      expect(text).toBe("unknown for the model, $0.03 for the machine")
    }
  })

  it("is at least so much where a part has no price, and never rounded to nothing", async () => {
    const { text } = await costOf("lambda-1", asked("anthropic/claude-haiku-4-5"), asked("groq/llama"))
    expect(text).toBe("at least $1.00 for the model, $0.02 for the machine")
    const little = asked("anthropic/claude-haiku-4-5", { ...usage, input: 10 })
    expect((await costOf("a-laptop", little)).text).toBe("under $0.01 for the model")
  })

  it("is null as long as nothing was counted", async () => {
    expect(await described([opened(), created(), claimed("ecs-1")])).toEqual({ cost: null, text: undefined })
    expect((await costOf("a-laptop", asked("scripted/demo"))).text).toBeUndefined()
  })
})
