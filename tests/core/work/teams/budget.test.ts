import { answerQuestion } from "@switchyard/core/agents/questions/answer-question"
import type { ModelProvider } from "@switchyard/core/models/provider"
import { setSessionBudget } from "@switchyard/core/people/budget/rules"
import { waking } from "@switchyard/core/work/runs/waking"
import { setTeam, stopTeam } from "@switchyard/core/work/teams/team-rules"
import { totalOf } from "@switchyard/core/work/usage/counts"
import type { Spent } from "@switchyard/core/work/usage/spent"
import { spentInRun, spentInSession } from "@switchyard/core/work/usage/state"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createScriptedProvider } from "../../../fixtures/scripted-model.ts"
import { openTeamBench, type TeamBench } from "./team-bench.ts"
import { answerOf, isCoordinator } from "./team-model.ts"

let bench: TeamBench
beforeEach(async () => {
  bench = await openTeamBench()
})
afterEach(() => bench.close())

type Call = [name: string, args: Record<string, unknown>]

/** Tokens that each answer of the model uses. */
const EACH = 1000
const IDS = ["one", "two", "three"]

/** Creates a model for a team of three parallel nodes with these budgets. Each node takes five calls. */
function teamModel(budgets: Record<string, object>): ModelProvider {
  const inner = createScriptedProvider(({ messages, tools }) => {
    const answers = messages.filter(({ role }) => role === "assistant").length
    if (!isCoordinator(tools)) {
      const last: Call = ["publish", { summary: "Done." }]
      return answerOf([answers < 4 ? ["checkpoint", { summary: "On it." }] : last], answers)
    }
    const said = messages.map(({ content }) => String(content)).join("\n")
    if (answers === 0)
      return answerOf(
        IDS.flatMap((id): Call[] => [
          ["spawn_worker", { name: id, role: "Works" }],
          ["create_work_node", { node_id: id, task: "Work", budget: budgets[id] }],
          ["assign_worker", { node_id: id, worker_id: id }],
        ]),
        0,
      )
    return answerOf(
      IDS.every((id) => said.includes(`${id} is completed.`)) ? [["finish", { summary: "Done." }]] : [],
      answers,
    )
  })
  return {
    ...inner,
    async *stream(request, options) {
      for await (const event of inner.stream(request, options)) {
        if (event.type === "usage")
          yield { type: "usage", usage: { input: EACH - 100, cacheRead: null, cacheWrite: null, output: 100 } }
        else yield event
      }
    },
  }
}

async function used(): Promise<{ team: number; [node: string]: number }> {
  const { usage, team } = await bench.state()
  const sum = ({ rows }: Spent) => rows.reduce((total, { tokens }) => total + totalOf(tokens), 0)
  const ofNodes = IDS.map((id) => {
    const runs = team?.nodes[id]?.runs ?? []
    return [id, runs.reduce((total, { runId }) => total + sum(spentInRun(usage, runId)), 0)]
  })
  return { team: sum(spentInSession(usage)), ...Object.fromEntries(ofNodes) }
}

/** Answers the oldest budget question by allowing the same amount again. */
async function allow(): Promise<void> {
  const { waiting } = (await bench.state()).questions
  const [question] = waiting
  const asked = (await bench.eventsOf("question_asked")).find(({ question_id }) => question_id === question?.questionId)
  const answer = { choice: "allow" as const }
  await bench.change(
    waking(
      answerQuestion(question?.questionId ?? "", {
        content: asked?.question as never,
        answer,
        by: "a person",
        now: 0,
        mayLoosen: true,
      }),
    ),
  )
}

describe("the budgets of a team", () => {
  it("stop a node at its own, by one call too late at most, while the others go on", async () => {
    const model = teamModel({ one: { tokens: 2500 } })
    await bench.start()
    await bench.drive(model)
    expect(await used()).toMatchObject({ one: 3000, two: 5000, three: 5000 })
    const { team, questions } = await bench.state()
    expect(team?.nodes).toMatchObject({ one: { status: "running" }, two: { status: "completed" } })
    expect(questions.waiting).toMatchObject([{ budget: "run", agentId: team?.nodes.one?.workerId }])
    await allow()
    await bench.drive(model)
    expect(await used()).toMatchObject({ one: 5000 })
    expect(await bench.eventsOf("team_finished")).toHaveLength(1)
  })

  it("count a node's spending for its team's, which stops everybody, each by one call too late at most", async () => {
    const model = teamModel({})
    await bench.decide(setSessionBudget({ tokens: 6500 }, { mayLoosen: true }))
    await bench.start()
    await bench.drive(model)
    const spent = await used()
    expect(spent.team).toBeGreaterThanOrEqual(6500)
    expect(spent.team).toBeLessThanOrEqual(6500 + (IDS.length + 1) * EACH)
    const { questions } = await bench.state()
    expect(questions.waiting).toMatchObject([{ budget: "session" }])
    await bench.recover()
    await bench.drive(model)
    expect(await used()).toEqual(spent)
    // Each answer allows the same amount again, and each member exceeds the new limit by at most one call.
    while ((await bench.eventsOf("team_finished")).length === 0) {
      const { tokens } = (await bench.state()).budgets.session ?? {}
      expect((await used()).team).toBeLessThanOrEqual((tokens ?? 0) + (IDS.length + 1) * EACH)
      await allow()
      await bench.drive(model)
    }
    expect(await bench.eventsOf("team_finished")).toHaveLength(1)
  })

  it("stay as people raised them when a node is done again", async () => {
    const inner = teamModel({ one: { tokens: 2500 } })
    const once = new Set<string>()
    const isFirst = (what: string) => !once.has(what) && once.add(what)
    const model: ModelProvider = {
      ...inner,
      async *stream(request, options) {
        const said = request.messages.map(({ content }) => String(content)).join("\n")
        const answers = request.messages.filter(({ role }) => role === "assistant").length
        if (said.startsWith("Your node is one.") && answers === 3 && isFirst("refusal")) {
          yield { type: "usage", usage: { input: EACH, cacheRead: null, cacheWrite: null, output: 0 } }
          yield { type: "end", stopReason: "refusal" }
        } else if (isCoordinator(request.tools) && said.includes("one failed") && isFirst("retry")) {
          yield* answerOf(
            [
              ["retry_node", { node_id: "one" }],
              ["assign_worker", { node_id: "one", worker_id: "one" }],
            ],
            99,
          )
        } else yield* inner.stream(request, options)
      },
    }
    await bench.start()
    await bench.drive(model)
    await allow()
    await bench.drive(model)
    const { team, questions } = await bench.state()
    expect(team?.nodes.one).toMatchObject({ status: "completed", runs: [{}, {}] })
    // The budget rises to 5,500. The first run used 4,000 of it.
    expect((await bench.eventsOf("budget_set")).map(({ tokens }) => tokens)).toEqual([2500, 5500, 1500])
    expect(questions.waiting).toEqual([])
    expect(await bench.eventsOf("question_asked")).toHaveLength(1)
    expect(await bench.eventsOf("team_finished")).toHaveLength(1)
  })

  it("hold for all runs of a node together", async () => {
    const model = teamModel({ one: { tokens: 2500 } })
    let stops = 0
    await bench.start()
    await bench.drive({
      ...model,
      async *stream(request, options) {
        const isAtOne = request.messages.some(({ content }) => String(content).startsWith("Your node is one."))
        if (isAtOne && request.messages.length > 1 && stops++ === 0) await bench.change(stopTeam("Stop"))
        yield* model.stream(request, options)
      },
    })
    await bench.change(setTeam("resumed"))
    await bench.drive(model)
    const { team } = await bench.state()
    expect(team?.nodes.one?.runs).toHaveLength(2)
    const set = (await bench.eventsOf("budget_set")).map(({ tokens }) => tokens ?? 0)
    expect(set[0]).toBe(2500)
    expect(set[1]).toBeLessThan(2500)
    expect((await used()).one).toBe(3000)
  })

  it("may be in minutes in which runs are at work: those of a team's nodes count for it together, and waiting doesn't", async () => {
    let ahead = 0
    const timed = await openTeamBench(bench.stores, { now: () => Date.now() + ahead })
    const model = teamModel({ one: { minutes: 2.5 } })
    const timedModel: ModelProvider = {
      ...model,
      // Each answer of a worker takes a minute.
      async *stream(request, options) {
        if (!isCoordinator(request.tools)) ahead += 60_000
        yield* model.stream(request, options)
      },
    }
    await timed.start()
    await timed.drive(timedModel)
    const minutesOf = async (nodeId: string) => {
      const { usage, team } = await timed.state()
      const runs = team?.nodes[nodeId]?.runs ?? []
      return runs.reduce((sum, { runId }) => sum + spentInRun(usage, runId).workedMs, 0) / 60_000
    }
    const asked = await timed.eventsOf("question_asked")
    expect(asked).toMatchObject([{ budget: "run", question: { budget: { minutes: 6, usd: null, tokens: null } } }])
    expect(JSON.stringify(asked)).toContain("The run's budget of 2.5 minutes is used up.")
    expect(Math.round(await minutesOf("one"))).toBe(3)
    expect(Math.round(await minutesOf("two"))).toBe(5)
    expect(Math.round((await timed.state()).usage.workedMs / 60_000)).toBe(13)
    ahead += 3_600_000
    const [question] = (await timed.state()).questions.waiting
    const given = {
      content: asked[0]?.question as never,
      answer: { choice: "allow" as const },
      by: "ada",
      now: 0,
      mayLoosen: true,
    }
    await timed.change(waking(answerQuestion(question?.questionId ?? "", given)))
    await timed.recover()
    await timed.drive(timedModel)
    expect(Math.round(await minutesOf("one"))).toBe(5)
    expect(await timed.eventsOf("team_finished")).toHaveLength(1)
  })
})
