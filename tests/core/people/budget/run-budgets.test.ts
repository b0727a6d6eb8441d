import { answerQuestion } from "@switchyard/core/agents/questions/answer-question"
import type { Answer } from "@switchyard/core/agents/questions/schema"
import { AppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { createNewId } from "@switchyard/core/ids"
import { inOpenSession } from "@switchyard/core/kernel/rules"
import { openSessionLog, type Rule, type SessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { budgetQuestion } from "@switchyard/core/people/budget/ask"
import { setRunBudget, setSessionBudget } from "@switchyard/core/people/budget/rules"
import { requireRoom } from "@switchyard/core/people/budget/run-budgets"
import { workBudgetStatus } from "@switchyard/core/people/budget/work-status"
import { sessionFold } from "@switchyard/core/state"
import type { Records } from "@switchyard/core/storage/records"
import { systemClock } from "@switchyard/core/time"
import { createRun } from "@switchyard/core/work/runs/admission"
import { appendAsExecutor, cancelRun, claimRun, parkRun } from "@switchyard/core/work/runs/rules"
import { RunParked } from "@switchyard/core/work/runs/run-context"
import { activeRuns } from "@switchyard/core/work/runs/state"
import { waking } from "@switchyard/core/work/runs/waking"
import { afterEach, expect, it } from "vitest"
import { openStores, type Stores } from "../../../fixtures/stores.ts"
import { cases, never as signal } from "../../../settings.ts"

const EACH = 1000

const options = { signal }
const idOf = (index: number) => `run_${String(index).padStart(2, "0")}`

const opened: Stores[] = []
afterEach(async () => {
  for (const stores of opened.splice(0)) await stores.close()
})

/** Wraps records so that a put sometimes loses its request or its reply. */
function lossy(records: Records, random: () => number): Records {
  const put: Records["put"] = async (...given) => {
    const luck = random()
    if (luck < 0.1) throw new AppError("storage_unavailable", "The request was lost.")
    const version = await records.put(...given)
    if (luck < 0.2) throw new AppError("storage_unavailable", "The reply was lost.")
    return version
  }
  return { ...records, put }
}

async function openSession(agents: number, random: () => number = () => 1) {
  const stores = await openStores()
  opened.push(stores)
  const clock = { ...systemClock, sleep: async () => {} }
  const open = (writer: string, records = stores.records): Promise<SessionLog> => {
    const log = createLog({ ...stores, records, clock })
    const deps = { log, records, clock, newId: createNewId(Date.now), writer, fold: sessionFold }
    return openSessionLog(deps, "ses_1", options)
  }
  const person = await open("person")
  const input = { user_prompt: "A page", prompt_overrides: {}, recursion_limit: 10 }
  const runs = Array.from({ length: agents }, (_, index) => idOf(index))
  for (const run_id of runs) {
    const run = { run_id, agent_id: `agent-${run_id}`, kind: "workflow" as const, model: "scripted/demo", input }
    await person.decide(inOpenSession("s", createRun(run, { maxActive: agents })), options)
  }

  /** Runs an agent that calls its model until the budget is used up, and then parks. */
  async function work(runId: string, calls: string[]): Promise<void> {
    const session = await open(runId, lossy(stores.records, random))
    const before = session.state.runs.byId[runId]?.generation ?? 0
    const generation = before + 1
    await session.decide(claimRun(runId, runId, before), options)
    const usage = { input: EACH, cache_read: null, cache_write: null, output: 0 }
    const used: NewEvent = { type: "model_usage", run_id: runId, agent_id: "", model: "scripted/demo", usage }
    try {
      for (;;) {
        await requireRoom(session, { runId, generation }, options)
        calls.push(runId)
        await session.decide(appendAsExecutor(runId, generation, [used]), options)
      }
    } catch (error) {
      if (!(error instanceof RunParked)) throw error
      const parking = { reason: error.message, waitsFor: error.waitsFor, now: 0 }
      await session.decide(parkRun(runId, generation, parking), options)
    }
  }
  const statuses = async () => activeRuns(await person.catchUp(options)).map(({ status }) => status)
  return { person, runs, work, statuses, decide: (rule: Rule) => person.decide(rule, options) }
}

/** Answers the only open question. */
async function answer({ person, decide }: Awaited<ReturnType<typeof openSession>>, given: Answer) {
  const { questions } = await person.catchUp(options)
  const [asked] = questions.waiting
  const { budget, runId = "" } = asked ?? {}
  if (!budget) return expect.unreachable("Nobody asks about a budget.")
  const content = budgetQuestion(workBudgetStatus(person.state, budget === "run" ? runId : undefined), budget)
  const about = { content, answer: given, by: "ada", now: 0, mayLoosen: true }
  return (await decide(waking(answerQuestion(asked?.questionId ?? "", about)))).map(({ type }) => type)
}

it("lets twenty agents that race, over a store that loses requests and replies, pass a budget by a request each", async () => {
  for (let round = 0; round < cases({ usual: 1, deep: 20 }); round++) {
    const session = await openSession(20, Math.random)
    const { person, runs, work, statuses, decide } = session
    const most = 50 * EACH
    await decide(setSessionBudget({ usd: null, tokens: most }, { mayLoosen: true }))
    const calls: string[] = []
    await Promise.all(runs.map((runId) => work(runId, calls)))
    const { used } = workBudgetStatus(await person.catchUp(options))
    // Each request is counted exactly once.
    expect(used.tokens).toBe(calls.length * EACH)
    expect(used.tokens).toBeGreaterThanOrEqual(most)
    expect(used.tokens).toBeLessThanOrEqual(most + runs.length * EACH)
    // A single question concerns all runs.
    expect(person.state.questions.waiting).toHaveLength(1)
    expect(new Set(await statuses())).toEqual(new Set(["parked"]))

    const woken = await decide(setSessionBudget({ usd: null, tokens: 2 * most }, { mayLoosen: true }))
    expect(woken.filter(({ type }) => type === "run_resumed")).toHaveLength(runs.length)
    expect(person.state.questions.waiting).toEqual([])
  }
})

it("asks about a run's own budget, and goes on with as much again, without a limit, or not at all", async () => {
  const session = await openSession(2)
  const { person, runs, work, statuses, decide } = session
  const [first = "", second = ""] = runs
  const calls: string[] = []
  await decide(setRunBudget(first, { usd: null, tokens: 2 * EACH }, { mayLoosen: true }))
  await work(first, calls)
  expect(calls).toHaveLength(2)
  expect(await statuses()).toEqual(["parked", "queued"])

  const nonsense = { choice: "allow" as const, answers: { question: "Never" } }
  await expect(answer(session, nonsense)).rejects.toMatchObject({ code: "validation_error" })
  expect(await answer(session, { choice: "allow" })).toEqual(["question_answered", "budget_set", "run_resumed"])
  await work(first, calls)
  expect(calls).toHaveLength(4)
  expect(workBudgetStatus(await person.catchUp(options), first)).toMatchObject({ tokens: 4 * EACH, reached: "tokens" })

  const stop = { choice: "allow" as const, answers: { question: "Stop" } }
  const ends = ["question_answered", "run_cancel_requested", "run_cancelled"]
  expect(await answer(session, stop)).toEqual(ends)
  expect(person.state.questions.waiting).toEqual([])

  await decide(setSessionBudget({ usd: null, tokens: 0 }, { mayLoosen: true }))
  await work(second, calls)
  expect(calls).toHaveLength(4)
  expect(await answer(session, { choice: "deny" })).toEqual(ends)
  expect(await statuses()).toEqual([])
  expect(workBudgetStatus(person.state)).toMatchObject({ tokens: 0, used: { tokens: 4 * EACH, usd: 0 } })
})

it("asks nobody for a turn of a chat, but refuses it", async () => {
  const { person, decide } = await openSession(0)
  const input = { request_id: "1", words: "Hello" }
  const about = { run_id: "run_chat", agent_id: "chat", kind: "chat" as const, model: "scripted/demo", input }
  await decide(inOpenSession("s", createRun(about, { maxActive: 1 })))
  await decide(setSessionBudget({ usd: 0, tokens: null }, { mayLoosen: true }))
  await decide(claimRun("run_chat", "worker", 0))
  const asked = requireRoom(person, { runId: "run_chat", generation: 1 }, options)
  const refused = { code: "budget_reached", details: { limit: "usd", maximum: 0, scope: "session" } }
  await expect(asked).rejects.toMatchObject(refused)
  expect((await person.catchUp(options)).questions.waiting).toEqual([])
})

it("has the next run ask where the one that asked for all is cancelled", async () => {
  const { person, runs, work, statuses, decide } = await openSession(2)
  const [first = "", second = ""] = runs
  await decide(setSessionBudget({ usd: null, tokens: 0 }, { mayLoosen: true }))
  await work(first, [])
  await work(second, [])
  expect((await person.catchUp(options)).questions.waiting).toMatchObject([{ runId: first }])
  const told = await decide(cancelRun(first, "Enough.", 0))
  const types = ["run_cancel_requested", "question_withdrawn", "run_cancelled", "run_resumed"]
  expect(told.map(({ type }) => type)).toEqual(types)
  await work(second, [])
  expect((await person.catchUp(options)).questions.waiting).toMatchObject([{ runId: second }])
  expect(await statuses()).toEqual(["parked"])
})
