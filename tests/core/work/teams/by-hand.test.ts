import type { Message } from "@switchyard/core/models/provider"
import { createScriptedProvider } from "@switchyard/core/models/scripted"
import { addNodeByHand, addWorkerByHand, assignByHand, retryByHand } from "@switchyard/core/work/teams/by-hand"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openTeamBench, type TeamBench } from "./team-bench.ts"
import { answerOf, isCoordinator } from "./team-model.ts"

let bench: TeamBench
beforeEach(async () => {
  bench = await openTeamBench()
})
afterEach(() => bench.close())

it("lets a person staff the board, and have done again what failed, while the coordinator is told", async () => {
  const model = createScriptedProvider(({ messages, tools }) => {
    const isAgain = messages.some(({ content }) => String(content).includes("is to be done again"))
    if (isCoordinator(tools)) return answerOf([], messages.length)
    return answerOf([isAgain ? ["publish", { summary: "Here." }] : ["checkpoint", { summary: "Hm." }]], messages.length)
  })
  await bench.start()
  await bench.drive(model)
  await bench.change(addWorkerByHand({ workerId: "wkr_1", name: "Ada", role: "Writes", maxIterations: 2 }))
  await bench.change(addNodeByHand({ nodeId: "a", task: "Write a.txt", deps: [], refs: {} }))
  await bench.change(addNodeByHand({ nodeId: "b", task: "Write b.txt", deps: ["a"], refs: {} }))
  await expect(bench.change(assignByHand({ nodeId: "b", worker: "Ada" }))).rejects.toThrow("can't begin before a")
  await expect(bench.change(retryByHand("a"))).rejects.toThrow("a is pending; only a node that failed")
  await bench.change(assignByHand({ nodeId: "a", worker: "Ada" }))
  await bench.drive(model)
  expect((await bench.state()).team?.nodes).toMatchObject({ a: { status: "failed" }, b: { status: "pending" } })
  await bench.change(retryByHand("a"))
  await bench.drive(model)
  const { team } = await bench.state()
  expect(team).toMatchObject({
    nodes: { a: { status: "completed" }, b: { status: "pending" } },
    workers: { wkr_1: { name: "Ada", model: "scripted/test" } },
  })
  const parts = await bench.eventsOf("conversation_extended")
  const told = parts.flatMap(({ agent_id, messages }) => (agent_id === "coordinator" ? (messages as Message[]) : []))
  const words = told.map(({ content }) => String(content)).join("\n")
  for (const line of ["I added the worker Ada", "I put a on the board", "I assigned a to Ada", "I put a back"])
    expect(words.split(line)).toHaveLength(2)
})
