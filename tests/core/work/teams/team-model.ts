import { type Message, type ModelEvent, type ModelRequest, noUsage } from "@switchyard/core/models/provider"
import { createScriptedProvider } from "../../../fixtures/scripted-model.ts"

type Call = [name: string, args: Record<string, unknown>]

/** Creates a model that coordinates these nodes, each after the previous one, and writes one file per node. */
export function modelOfTeam(nodes: readonly string[] = ["a", "b"]) {
  return createScriptedProvider((request) => teamAnswer(nodes, request))
}

export function teamAnswer(nodes: readonly string[], { messages, tools }: ModelRequest): ModelEvent[] {
  return answerOf(isCoordinator(tools) ? coordinate(nodes, messages) : work(messages), messages.length)
}

/** Returns true if the tools are a coordinator's. */
export function isCoordinator(tools: ModelRequest["tools"] = []): boolean {
  return tools.some(({ name }) => name === "finish")
}

function coordinate(nodes: readonly string[], messages: readonly Message[]): Call[] {
  const said = messages.filter(({ role }) => role === "user").map(({ content }) => String(content))
  const done = nodes.filter((id) => said.some((text) => text.includes(`${id} is completed.`)))
  const calls = callsIn(messages)
  if (calls.length === 0) {
    const created = nodes.map((id, at): Call => {
      return ["create_work_node", { node_id: id, task: `Write ${id}.txt`, deps: nodes.slice(Math.max(0, at - 1), at) }]
    })
    return [...created, ["spawn_worker", { name: "Ada", role: "Writes" }], assign(nodes[0])]
  }
  if (done.length === nodes.length) return [["finish", { summary: "All are there." }]]
  const assigned = calls.filter(([name]) => name === "assign_worker").length
  return assigned === done.length ? [assign(nodes[done.length])] : []
}

function assign(id = ""): Call {
  return ["assign_worker", { node_id: id, worker_id: "Ada" }]
}

function work(messages: readonly Message[]): Call[] {
  const [, id] = /Your node is (\w+)/.exec(String(messages[0]?.content)) ?? []
  const path = `${id}.txt`
  return callsIn(messages).length === 0
    ? [["write_file", { path, content: `This is ${id}.\n` }]]
    : [["publish", { summary: `Wrote ${path}.` }]]
}

function callsIn(messages: readonly Message[]): Call[] {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
  return calls.map(({ name, args }) => [name, args as Record<string, unknown>])
}

export function answerOf(calls: Call[], at: number): ModelEvent[] {
  const events = calls.map(([name, args], index): ModelEvent => {
    const call = { id: `call_${at}_${index}`, name, args, rawArguments: JSON.stringify(args) }
    return { type: "tool_call", call }
  })
  const text: ModelEvent[] = calls.length === 0 ? [{ type: "text", text: "I wait." }] : []
  const end: ModelEvent = { type: "end", stopReason: calls.length > 0 ? "tool_calls" : "end" }
  return [...text, ...events, { type: "usage", usage: noUsage }, end]
}
