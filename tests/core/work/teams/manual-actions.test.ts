import type { Message } from "@switchyard/core/models/provider"
import {
  addNodeByHand,
  addWorkerByHand,
  assignByHand,
  moveByHand,
  retryByHand,
} from "@switchyard/core/work/teams/manual-actions"
import { sayToTeam } from "@switchyard/core/work/teams/team-rules"
import { afterEach, beforeEach, expect, it } from "vitest"
import { createScriptedProvider } from "../../../fixtures/scripted-model.ts"
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
  await expect(bench.change(assignByHand({ nodeId: "b", worker: "Ada" }))).rejects.toThrow("can't start before a")
  await expect(bench.change(retryByHand("a"))).rejects.toThrow("a is pending; only a failed node")
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

it("tells the coordinator of another order with its next news, and doesn't wake it for that", async () => {
  let calls = 0
  const model = createScriptedProvider(({ messages, tools }) => {
    if (isCoordinator(tools)) calls++
    return answerOf([], messages.length)
  })
  await bench.start()
  for (const nodeId of ["a", "b", "c"])
    await bench.change(addNodeByHand({ nodeId, task: `Write ${nodeId}.txt`, deps: [], refs: {} }))
  await bench.drive(model)
  const before = calls
  await bench.change(moveByHand({ nodeId: "c", before: "a" }))
  await bench.change(moveByHand({ nodeId: "a", before: null }))
  await bench.drive(model)
  expect(calls).toBe(before)
  await bench.change(sayToTeam({ to: "coordinator", content: "Go on", messageId: "msg_1" }))
  await bench.drive(model)
  await bench.change(sayToTeam({ to: "coordinator", content: "And on", messageId: "msg_2" }))
  await bench.drive(model)
  const parts = await bench.eventsOf("conversation_extended")
  const words = parts.flatMap(({ messages }) => (messages as Message[]).map(({ content }) => String(content)))
  expect(words.filter((text) => text.includes("changed the order"))).toEqual([
    expect.stringMatching(/Assign ready nodes in this order: c, b, a\.[\s\S]*Go on$/),
  ])
})
