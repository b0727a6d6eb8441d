import { answerQuestion } from "@switchyard/core/agents/questions/answer-question"
import type { Message, ModelRequest } from "@switchyard/core/models/provider"
import { waking } from "@switchyard/core/work/runs/waking"
import { toTeamEvent } from "@switchyard/core/work/teams/team-event"
import { sayToTeam } from "@switchyard/core/work/teams/team-rules"
import { beforeAll, describe, expect, it } from "vitest"
import { createScriptedProvider } from "../../../fixtures/scripted-model.ts"
import { openTeamBench, type TeamBench } from "./team-bench.ts"
import { answerOf, isCoordinator } from "./team-model.ts"

/*
 * Known faults of teams in other systems, each with its test. "Routes" stands for tests/functions/routes/teams.
 *  1, 11  tool results don't follow their calls directly        here
 *  2      a program that coordinates crashes                    routes: team-coordinator.test.ts
 *  3      a member with read messages misses the next broadcast here
 *  4      paths lead out of the team's files                    hostile.test.ts; routes: teams.test.ts, for browsing
 *  5      dependencies and limits aren't enforced               rules.test.ts, "has no cycle, starts nothing early"
 *  6      an answer reaches another member than the asker       here
 *  7      two tools have the same name                          here
 *  8      the coordinator doesn't learn of a completed node     here
 *  9      an idle coordinator still calls its model             team.test.ts, "only when there is news"
 *  10     a stop is forgotten, or undone by an old message      team.test.ts, "that is stopped", "that is paused"
 *         a program that coordinates can't be stopped           routes: team-coordinator.test.ts, "by a stop"
 *  12     a restart loses teams or repeats events               takeover.test.ts; tests/faults/team.test.ts
 *         calls and ends are reported twice                     here
 *         conversations have no limit                           team.test.ts, "sends a long conversation's beginning"
 *  13     the studio can't be built from its sources            tests/tools/build-studio.test.ts
 */

type Call = [name: string, args: Record<string, unknown>]
const NAMES = ["Ada", "Lin"]
const requests: ModelRequest[] = []
let bench: TeamBench

function coordinate(messages: readonly Message[]): Call[] {
  const said = textOf(messages)
  if (said.includes("Ada.md is there") && said.includes("Lin.md is there")) return [["finish", { summary: "Done." }]]
  if (messages.length > 1) return []
  return NAMES.flatMap((name): Call[] => [
    ["create_work_node", { node_id: name.toLowerCase(), task: `Write ${name}.md` }],
    ["spawn_worker", { name, role: "Writes" }],
    ["assign_worker", { node_id: name.toLowerCase(), worker_id: name }],
  ])
}

/** Asks a person, writes the answer to a file, and publishes the file. Each model answer makes two calls. */
function work(messages: readonly Message[]): Call[] {
  const [, name = ""] = /Write (\w+)\.md/.exec(textOf(messages)) ?? []
  const asked = messages.find(({ role, content }) => role === "tool" && String(content).startsWith("For "))
  const look: Call = ["list_files", { path: "" }]
  if (!asked) return [look, ["ask_human", { question: `Which one, for ${name}?` }]]
  return [
    ["write_file", { path: `${name}.md`, content: String(asked.content) }],
    ["publish", { summary: `${name}.md is there` }],
  ]
}

const textOf = (messages: readonly Message[]) => messages.map(({ content }) => String(content)).join("\n")

beforeAll(async () => {
  bench = await openTeamBench()
  const model = createScriptedProvider((request) => {
    requests.push({ ...request, messages: [...request.messages] })
    const calls = isCoordinator(request.tools) ? coordinate(request.messages) : work(request.messages)
    return answerOf(calls, request.messages.length)
  })
  await bench.start("Two pages")
  await bench.drive(model)
  for (const content of ["First to all", "Then to all"]) {
    await bench.change(sayToTeam({ to: "all", content, messageId: content }))
    await bench.drive(model)
  }
  const { waiting } = (await bench.state()).questions
  const texts = new Map((await bench.eventsOf("question_asked")).map((event) => [event.question_id, event.question]))
  for (const { questionId } of waiting.toReversed()) {
    const [, name = ""] = /for (\w+)\?/.exec(JSON.stringify(texts.get(questionId))) ?? []
    const answer = { choice: "allow" as const, text: `For ${name}` }
    const content = { kind: "text" as const, text: `Which one, for ${name}?` }
    await bench.change(waking(answerQuestion(questionId, { content, answer, by: "a person", now: 0, mayLoosen: true })))
    await bench.drive(model)
  }
  return () => bench.close()
})

describe("a team, free of the faults that others are known for,", () => {
  it("sends the results of tools right after their calls, and nothing in between", () => {
    for (const { messages } of requests) {
      for (const [at, message] of messages.entries()) {
        if (message.role !== "assistant") continue
        const calls = (message.toolCalls ?? []).map(({ id }) => id)
        const results = messages.slice(at + 1, at + 1 + calls.length)
        expect(results.map((result) => result.role === "tool" && result.toolCallId)).toEqual(calls)
      }
    }
  })

  it("never asks a model to go on after its own words", () => {
    expect(requests.filter(({ messages }) => messages.at(-1)?.role === "assistant")).toEqual([])
  })

  it("offers no two tools of one name", () => {
    const names = requests.map(({ tools = [] }) => tools.map(({ name }) => name))
    expect(names.filter((all) => new Set(all).size !== all.length)).toEqual([])
  })

  it("gives each worker the answer to its own question", async () => {
    expect(await bench.files()).toMatchObject({ "Ada.md": "For Ada", "Lin.md": "For Lin" })
  })

  it("tells its coordinator of each completed node, in its conversation", () => {
    const last = requests.filter(({ tools }) => isCoordinator(tools)).at(-1)
    for (const id of ["ada", "lin"]) expect(textOf(last?.messages ?? [])).toContain(`${id} is completed.`)
  })

  it("tells of each call, its result and the end once, whatever was parked in between", async () => {
    const extended = await bench.eventsOf("conversation_extended")
    const calls = extended.flatMap(({ messages }) =>
      (messages as Message[]).flatMap((one) => (one.role === "assistant" ? (one.toolCalls ?? []) : [])),
    )
    expect(calls.length).toBeGreaterThan(8)
    for (const type of ["tool_call_started", "tool_call_finished"] as const)
      expect((await bench.eventsOf(type)).length).toBe(calls.length)
    const state = await bench.state()
    const events = [...(await bench.eventsOf("run_completed")), ...(await bench.eventsOf("team_finished"))]
    const told = events.flatMap((event) => toTeamEvent("s", event)?.type ?? [])
    expect(state.team?.finishedSeq).not.toBeNull()
    expect(told.filter((type) => type === "agent.completed")).toHaveLength(1)
  })

  it("has a broadcast reach those, too, who have read the one before", () => {
    const coordinators = requests.filter(({ tools }) => isCoordinator(tools)).map(({ messages }) => textOf(messages))
    expect(coordinators.at(-1)).toContain("First to all")
    expect(coordinators.at(-1)).toContain("Then to all")
    const workers = requests.filter(({ tools }) => !isCoordinator(tools)).map(({ messages }) => textOf(messages))
    for (const name of NAMES) {
      const last = workers.findLast((text) => text.includes(`Write ${name}.md`))
      expect(last).toMatch(/First to all[\s\S]*Then to all/)
    }
  })
})
