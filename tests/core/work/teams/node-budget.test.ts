import { createScriptedProvider } from "@switchyard/core/models/scripted"
import { addNodeByHand, addWorkerByHand, assignByHand } from "@switchyard/core/work/teams/by-hand"
import { nodeBudget } from "@switchyard/core/work/teams/node-budget"
import type { TeamState, WorkNode } from "@switchyard/core/work/teams/state"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openTeamBench, type TeamBench } from "./team-bench.ts"
import { answerOf, isCoordinator } from "./team-model.ts"

let bench: TeamBench
beforeEach(async () => {
  bench = await openTeamBench()
})
afterEach(() => bench.close())

it("says what the runs of a node used of its budget, as long as they are counted one by one", async () => {
  const model = createScriptedProvider(({ messages, tools }) => {
    if (isCoordinator(tools)) return answerOf([], messages.length)
    return answerOf([["publish", { summary: "Here." }]], messages.length).map((event) => {
      return event.type === "usage" ? { ...event, usage: { ...event.usage, input: 90, output: 10 } } : event
    })
  })
  await bench.start()
  await bench.drive(model)
  await bench.change(addWorkerByHand({ workerId: "wkr_1", name: "Ada", role: "Writes", maxIterations: 2 }))
  await bench.change(addNodeByHand({ nodeId: "a", task: "Write", deps: [], refs: {}, budget: { tokens: 200 } }))
  await bench.change(addNodeByHand({ nodeId: "b", task: "Write", deps: [], refs: {} }))
  await bench.change(assignByHand({ nodeId: "a", worker: "Ada" }))
  await bench.drive(model)
  const state = await bench.state()
  const { a, b } = (state.team as TeamState).nodes as Record<"a" | "b", WorkNode>
  expect(nodeBudget(state, a)).toMatchObject({ tokens: 200, usd: null, used: { tokens: 100 }, reached: null })
  expect(nodeBudget(state, { ...a, budget: { usd: null, tokens: 100, minutes: null } })?.reached).toBe("tokens")
  expect(nodeBudget(state, b)).toMatchObject({ tokens: null, used: { tokens: 0 } })
  const earlier = Object.values(state.usage.runs).flatMap(({ rows }) => rows)
  const later = { ...state, usage: { ...state.usage, runs: {}, earlier } }
  expect([nodeBudget(later, a), nodeBudget(later, b)?.used.tokens]).toEqual([null, 0])
})
