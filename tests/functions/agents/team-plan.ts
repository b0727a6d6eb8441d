import type { Message } from "@switchyard/core/models/provider"
import { answerOf, isCoordinator } from "../../core/work/teams/team-model.ts"
import { createScriptedProvider } from "../../fixtures/scripted-model.ts"

/** Plan that a scripted coordinator carries out. */
export interface TeamPlan {
  workers: { name: string; type: string }[]
  nodes: { id: string; worker: string; deps: string[]; task: string; stage?: string; contract?: object }[]
}

type Call = [name: string, args: Record<string, unknown>]

/**
 * Creates a model that coordinates by a plan. Each node is assigned as soon as its dependencies allow. Each harnessed
 * worker writes one file.
 */
export function planModel(planOf: () => TeamPlan) {
  return createScriptedProvider(({ messages, tools }) => {
    const calls = isCoordinator(tools) ? coordinate(planOf(), messages) : work(messages)
    return answerOf(calls, messages.length)
  })
}

function coordinate({ workers, nodes }: TeamPlan, messages: readonly Message[]): Call[] {
  const said = messages.filter(({ role }) => role === "user").map(({ content }) => String(content))
  const isDone = (id: string) => said.some((text) => text.includes(`${id} is completed.`))
  const called = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
  if (called.length === 0) {
    return [
      ...workers.map(({ name, type }): Call => ["spawn_worker", { name, role: "Works", type }]),
      ...nodes.map(({ id, worker: _, ...node }): Call => ["create_work_node", { node_id: id, ...node }]),
      ...nodes.filter(({ deps }) => deps.length === 0).map(assign),
    ]
  }
  if (said.some((text) => /The time limit of the stage \w+ has passed/.test(text)))
    return [["finish", { summary: "No time." }]]
  const stopped = messages.find(
    ({ role, content }) => role === "tool" && String(content).includes("Some work couldn't be merged."),
  )
  if (stopped) return [["ask_human", { question: String(stopped.content) }]]
  if (nodes.every(({ id }) => isDone(id))) return [["finish", { summary: "All is done." }]]
  const assigned = called
    .filter(({ name }) => name === "assign_worker")
    .map(({ args }) => (args as { node_id: string }).node_id)
  return nodes.filter(({ id, deps }) => !assigned.includes(id) && deps.every(isDone)).map(assign)
}

function assign({ id, worker }: TeamPlan["nodes"][number]): Call {
  return ["assign_worker", { node_id: id, worker_id: worker }]
}

function work(messages: readonly Message[]): Call[] {
  const [, id] = /Your node is (\w+)/.exec(String(messages[0]?.content)) ?? []
  if (messages.length > 1) return [["publish", { summary: `Wrote ${id}.txt.` }]]
  return [["write_file", { path: `${id}.txt`, content: `This is ${id}.\n` }]]
}
