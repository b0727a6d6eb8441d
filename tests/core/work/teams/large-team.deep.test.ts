import type { ModelRequest } from "@switchyard/core/models/provider"
import { describe, expect, it } from "vitest"
import { createScriptedProvider } from "../../../fixtures/scripted-model.ts"
import { openTeamBench } from "./team-bench.ts"
import { answerOf, isCoordinator } from "./team-model.ts"

const WORKERS = 20
const NODES = 200
const names = Array.from({ length: WORKERS }, (_, at) => `w${at}`)
const nodes = Array.from({ length: NODES }, (_, at) => `n${at}`)
type Call = [name: string, args: Record<string, unknown>]

/** Creates all nodes at once. Gives each worker its next node when the previous node is completed. */
function coordinate({ messages }: ModelRequest): Call[] {
  const said = messages.filter(({ role }) => role === "user").map(({ content }) => String(content))
  const done = new Set(said.flatMap((text) => [...text.matchAll(/(n\d+) is completed\./g)].map(([, id = ""]) => id)))
  for (const id of done) completed.add(id)
  const called = messages.some(({ role }) => role === "assistant")
  if (!called) {
    const created = nodes.map((id): Call => ["create_work_node", { node_id: id, task: `Write ${id}.txt` }])
    return [...names.map((name): Call => ["spawn_worker", { name, role: "Writes" }]), ...created, ...next()]
  }
  return completed.size === NODES ? [["finish", { summary: "All of them." }]] : next()
}

let completed = new Set<string>()
let assigned = new Map<string, string>()

function next(): Call[] {
  const busy = new Set([...assigned].filter(([id]) => !completed.has(id)).map(([, name]) => name))
  const idle = names.filter((name) => !busy.has(name))
  const open = nodes.filter((id) => !assigned.has(id))
  return idle.slice(0, open.length).map((name, at): Call => {
    assigned.set(open[at] ?? "", name)
    return ["assign_worker", { node_id: open[at], worker_id: name }]
  })
}

function work({ messages }: ModelRequest): Call[] {
  const [, id] = /Your node is (\w+)/.exec(String(messages[0]?.content)) ?? []
  if (messages.length > 1) return [["publish", { summary: "Done." }]]
  return [["write_file", { path: `${id}.txt`, content: `${id}\n` }]]
}

describe("a team of twenty workers", () => {
  it("works on two hundred nodes, and on each of them once", async () => {
    completed = new Set()
    assigned = new Map()
    const bench = await openTeamBench()
    const model = createScriptedProvider((request) => {
      return answerOf(isCoordinator(request.tools) ? coordinate(request) : work(request), request.messages.length)
    })
    const before = { cpu: process.cpuUsage(), at: performance.now() }
    await bench.start("Two hundred files")
    await bench.drive(model)
    const { user, system } = process.cpuUsage(before.cpu)
    const events = await bench.events()
    const ends = (await bench.eventsOf("work_node_completed")).map(({ node_id }) => node_id)
    const seconds = (performance.now() - before.at) / 1000
    const megabytes = process.memoryUsage().rss / 1e6
    const about = { events: events.length, seconds, cpuSeconds: (user + system) / 1e6, megabytes }
    process.stderr.write(`${JSON.stringify(about)}\n`)
    expect(new Set(ends).size).toBe(NODES)
    expect(ends).toHaveLength(NODES)
    expect(await bench.eventsOf("work_node_started")).toHaveLength(NODES)
    expect(await bench.eventsOf("team_finished")).toHaveLength(1)
    expect(Object.keys(await bench.files()).filter((path) => /^n\d+\.txt$/.test(path))).toHaveLength(NODES)
    await bench.close()
  })
})
