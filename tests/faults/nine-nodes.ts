import { pieces, type RecordedRequest, type Turn } from "../fixtures/model-server/script.ts"

interface PlannedNode {
  id: string
  stage: string
  worker: string
  deps: string[]
}

const PROGRAMS = ["Lin", "Max"]
const WORKERS = ["Ada", "Eve", ...PROGRAMS]

/** Nine nodes in three stages. Models work on five of them, and programs on four. */
export const NODES: PlannedNode[] = [
  { id: "a1", stage: "gather", worker: "Ada", deps: [] },
  { id: "a2", stage: "gather", worker: "Eve", deps: [] },
  { id: "a3", stage: "gather", worker: "Lin", deps: [] },
  { id: "b1", stage: "build", worker: "Ada", deps: ["a1", "a2"] },
  { id: "b2", stage: "build", worker: "Lin", deps: ["a3"] },
  { id: "b3", stage: "build", worker: "Max", deps: ["a2"] },
  { id: "c1", stage: "ship", worker: "Max", deps: ["b1", "b2"] },
  { id: "c2", stage: "ship", worker: "Eve", deps: ["b3"] },
  { id: "c3", stage: "ship", worker: "Ada", deps: ["b1", "b2", "b3"] },
]
export const STAGES = ["gather", "build", "ship"]

/** The message of a model's worker about its node. */
export const greeting = (id: string) => `Greetings from ${id}.`
export const isOfProgram = ({ worker }: PlannedNode) => PROGRAMS.includes(worker)

/**
 * Messages from a person, each sent once `after` nodes are completed. The team doesn't finish before it has received
 * all.
 */
export const WORDS = [
  { after: 0, to: "coordinator", message: "Word one." },
  { after: 3, to: "all", message: "Word two." },
  { after: 6, to: "coordinator", message: "Word three." },
]

type Call = [name: string, args: Record<string, unknown>]
interface Message {
  role: string
  content: unknown
  tool_calls?: { function: { name: string; arguments: string } }[]
}

/** Returns the node that a request works on, or undefined for the coordinator's requests. */
export function nodeOfRequest({ body }: Pick<RecordedRequest, "body">): string | undefined {
  const [first] = (body.messages as Message[]).filter(({ role }) => role === "user")
  return /Your node is (\w+)/.exec(String(first?.content))?.[1]
}

/** A model that coordinates the nine nodes and works on its own ones. */
export function teamTurn(request: Pick<RecordedRequest, "body">): Turn {
  const said = (request.body.messages as Message[]).filter(({ role }) => role !== "system")
  const node = nodeOfRequest(request)
  const calls = node === undefined ? coordinate(said) : work(node, said)
  if (calls.length === 0) return { text: pieces("I wait for news.") }
  return { toolCalls: calls.map(([name, args], at) => ({ name, args, id: `call_${said.length}_${at}` })) }
}

function coordinate(said: Message[]): Call[] {
  const told = said.flatMap(({ role, content }) => (role === "user" ? String(content) : [])).join("\n")
  const called = callsIn(said)
  if (called.length === 0) {
    return [
      ...WORKERS.map((name): Call => {
        return ["spawn_worker", { name, role: "Works", type: PROGRAMS.includes(name) ? "mock" : "harnessed" }]
      }),
      ...NODES.map((node): Call => ["create_work_node", { ...createdOf(node) }]),
      ...NODES.slice(0, 3).map(assign),
    ]
  }
  const isDone = (id: string) => told.includes(`${id} is completed.`)
  const namesIn = (tool: string, field: string) =>
    called.flatMap(([name, args]) => (name === tool ? String(args[field]) : []))
  const assigned = namesIn("assign_worker", "node_id")
  const ended = namesIn("reconvene", "stage")
  const stages = STAGES.filter((name) => !ended.includes(name) && told.includes(`Stage ${name} [reconvening]`))
  const reconvened = stages.map((stage): Call => ["reconvene", { stage, assessment: "Good." }])
  const isIdle = (worker: string) => NODES.every(({ id, worker: of }) => of !== worker || !isUnderWay(id))
  const isUnderWay = (id: string) => assigned.includes(id) && !isDone(id)
  const ready = NODES.filter(({ id, worker, deps }) => !assigned.includes(id) && deps.every(isDone) && isIdle(worker))
  const next = ready.filter(({ worker }, at) => ready.findIndex((other) => other.worker === worker) === at)
  const isOver = NODES.every(({ id }) => isDone(id)) && WORDS.every(({ message }) => told.includes(message))
  return [...reconvened, ...next.map(assign), ...(isOver ? [["finish", { summary: "All nine." }] as Call] : [])]
}

function createdOf(node: PlannedNode) {
  const { id, stage, deps } = node
  const task = isOfProgram(node)
    ? `Write ${id}.txt. mock: ${JSON.stringify({ files: { [`${id}.txt`]: `This is ${id}.\n` }, duration_ms: 100 })}`
    : `Write ${id}.txt`
  return { node_id: id, task, deps, stage }
}

function assign({ id, worker }: PlannedNode): Call {
  return ["assign_worker", { node_id: id, worker_id: worker }]
}

function work(id: string, said: Message[]): Call[] {
  const step = callsIn(said).length
  if (step === 0) return [["write_file", { path: `${id}.txt`, content: `This is ${id}.\n` }]]
  if (step === 1) return [["send_message", { to: "coordinator", content: greeting(id) }]]
  return [["publish", { summary: `Wrote ${id}.txt.` }]]
}

function callsIn(said: Message[]): Call[] {
  const calls = said.flatMap(({ tool_calls = [] }) => tool_calls)
  return calls.map(({ function: { name, arguments: args } }) => [name, JSON.parse(args)])
}
