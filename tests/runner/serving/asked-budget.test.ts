import { systemClock } from "@switchyard/core/time"
import { createAskedBudget } from "@switchyard/runner/serving/asked-budget"
import { expect, it } from "vitest"
import { never as signal } from "../../settings.ts"

const ticket = { sid: "one", generation: 1, attempt: 1, secret: "x" }
const session = {} as Parameters<ReturnType<typeof createAskedBudget>["look"]>[0]

/** Opens a runner's budget question, which gets these answers in order, the last one repeatedly. */
function open(...answers: unknown[]) {
  const asked: unknown[] = []
  let passed = 0
  const pass = (ms: number) => {
    passed += ms
  }
  const clock = { ...systemClock, monotonic: () => passed, sleep: async (ms: number) => pass(ms) }
  const ask = async (request: unknown) => {
    asked.push(request)
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (answer instanceof Error) throw answer
    return { budget: answer }
  }
  const budget = createAskedBudget({ ask, clock, executor: "ecs-a", ticket: () => ticket })
  return { budget, asked, pass }
}

it("asks whether there is a budget once a minute, and with each request where there is one", async () => {
  const { budget, asked, pass } = open({ is_set: false, reached: null }, { is_set: true, reached: null })
  for (let request = 0; request < 3; request++) {
    expect(await budget.isSet("run_1", { signal })).toBe(false)
    expect(await budget.look(session, "run_1", { signal })).toEqual({ isSet: false, reached: null })
  }
  expect(asked).toEqual([{ ticket, executor: "ecs-a", budget_of: "run_1" }])
  pass(60_000)
  expect(await budget.isSet("run_1", { signal })).toBe(true)
  for (let request = 0; request < 3; request++) await budget.look(session, "run_1", { signal })
  expect(asked).toHaveLength(5)
})

it("asks until it is answered, for a budget that nobody can see is none that may be passed", async () => {
  const { budget, asked } = open(new Error("No."), new Error("No."), { is_set: true, reached: null })
  expect(await budget.isSet("run_1", { signal })).toBe(true)
  expect(asked).toHaveLength(3)
})

it("doesn't go on for a session that another runner serves", async () => {
  const { budget } = open(null)
  await expect(budget.look(session, "run_1", { signal })).rejects.toThrow("another one is serving its session")
})
