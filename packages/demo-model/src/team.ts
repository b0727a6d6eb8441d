import { demoOffer } from "@switchyard/core/models/demo-offer"
import type { Message, ModelRequest } from "@switchyard/core/models/provider"
import type { Answer } from "./answer.ts"
import { type DemoNode, fileOf, NODES, shortGoal, taskOfMock } from "./team-page.ts"

const WORKERS = [
  { name: "Ada", role: "Writes the words and the guide" },
  { name: "Lin", role: "Makes the look and the page" },
]

/** A worker that runs a program, if the team is allowed to have one. */
const REVIEWER = { name: "Mia", role: "Reads the page, as a program with a terminal", type: "mock" }
const REVIEWED = "review"

/**
 * Answers as a team member. The coordinator follows a fixed plan of five nodes, and each worker writes one file. One
 * worker is the mock program, if the team is allowed to have it.
 */
export function teamAnswer({ messages, tools = [] }: ModelRequest): Answer {
  const isCoordinator = tools.some(({ name }) => name === "finish")
  return isCoordinator ? coordinate(messages, { hasMock: mayBeMock(tools) }) : workOn(messages)
}

function mayBeMock(tools: NonNullable<ModelRequest["tools"]>): boolean {
  const spawn = tools.find(({ name }) => name === "spawn_worker")
  return spawn?.parameters.safeParse(REVIEWER).success ?? false
}

interface Staff {
  hasMock: boolean
}

function coordinate(messages: readonly Message[], staff: Staff): Answer {
  const called = callsIn(messages)
  const isAsked = isWrittenTo(messages)
  if (called.length === 0) return plan(goalIn(messages), staff)
  if (isAsked) return { text: "", calls: [reply()] }
  const completed = completedIn(messages)
  if (NODES.every(({ id }) => completed.has(id))) return called.some(isFinish) ? { text: "Done." } : finish()
  const calls = assignments(messages, completed, staff)
  return calls.length === 0 ? { text: "I am waiting for my workers." } : { text: "", calls }
}

function plan(goal: string, { hasMock }: Staff): Answer {
  const named = shortGoal(goal)
  const nodes = NODES.map(({ id, deps, task }) => {
    const own = hasMock && id === REVIEWED ? taskOfMock : task
    return { name: "create_work_node", args: { node_id: id, task: `${own}\n\nThe goal: ${named}`, deps: [...deps] } }
  })
  const workers = [...WORKERS, ...(hasMock ? [REVIEWER] : [])].map((args) => ({ name: "spawn_worker", args }))
  const text = `I am Switchyard's scripted demo: whatever the goal, I show how a team makes a small page about it. ${demoOffer}`
  return { text, calls: [...nodes, ...workers] }
}

function finish(): Answer {
  const summary = "The page is in index.html. It was made by a fixed plan: only a real model works on the goal itself."
  return { text: "", calls: [{ name: "finish", args: { summary } }] }
}

function reply() {
  const content = `I am a scripted demo and don't understand messages, so I'm continuing with my plan. ${demoOffer}`
  return { name: "send_message", args: { to: "human", content } }
}

/** Assigns the next nodes to idle workers. */
function assignments(messages: readonly Message[], completed: ReadonlySet<string>, { hasMock }: Staff) {
  const given = callsIn(messages).flatMap(({ name, args }) =>
    name === "assign_worker" ? [args as { node_id: string; worker_id: string }] : [],
  )
  const busy = new Set(given.flatMap(({ node_id, worker_id }) => (completed.has(node_id) ? [] : [worker_id])))
  const idle = WORKERS.filter(({ name }) => !busy.has(name))
  const assigned = new Set(given.map(({ node_id }) => node_id))
  const ready = NODES.filter(({ id, deps }) => !assigned.has(id) && deps.every((dep) => completed.has(dep)))
  const isMocks = ({ id }: { id: string }) => hasMock && id === REVIEWED
  const ofModels = ready.filter((node) => !isMocks(node)).slice(0, idle.length)
  return [
    ...ofModels.map(({ id }, at) => assignment(id, idle[at]?.name ?? "")),
    ...ready.filter(isMocks).map(({ id }) => assignment(id, REVIEWER.name)),
  ]
}

function assignment(node_id: string, worker_id: string) {
  return { name: "assign_worker", args: { node_id, worker_id } }
}

function workOn(messages: readonly Message[]): Answer {
  const task = messages[0]?.content ?? ""
  const [, id] = /^Your node is ([a-z0-9-]+)\./.exec(task) ?? []
  const node: DemoNode | undefined = NODES.find((one) => one.id === id)
  if (!node) return { text: "", calls: [{ name: "publish", args: { summary: "The demo knows no such node." } }] }
  const goal = goalIn(messages)
  if (callsIn(messages).length === 0) {
    const args = { path: node.file, content: fileOf(node, goal) }
    return { text: `I write ${node.file}.`, calls: [{ name: "write_file", args }] }
  }
  return { text: "", calls: [{ name: "publish", args: { summary: `${node.file} is written.` } }] }
}

function goalIn(messages: readonly Message[]): string {
  const [, goal = ""] = /The goal:\s+([\s\S]+?)(?:\n\n|$)/.exec(messages[0]?.content ?? "") ?? []
  return goal
}

function callsIn(messages: readonly Message[]) {
  return messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
}

/** Returns the ids of the completed nodes. */
function completedIn(messages: readonly Message[]): ReadonlySet<string> {
  const told = messages.flatMap(({ role, content }) => (role === "user" ? [content] : []))
  return new Set(told.flatMap((text) => [...text.matchAll(/^([a-z0-9-]+) is completed\./gm)].map(([, id = ""]) => id)))
}

function isWrittenTo(messages: readonly Message[]): boolean {
  const last = messages.at(-1)
  return last?.role === "user" && /^Message from human:/m.test(last.content)
}

function isFinish({ name }: { name: string }): boolean {
  return name === "finish"
}
