import { dirname, join } from "node:path"
import type { Message } from "@switchyard/core/models/provider"
import { afterEach, describe, expect, it } from "vitest"
import { answerOf, isCoordinator } from "../core/work/teams/team-model.ts"
import { createScriptedProvider } from "../fixtures/scripted-model.ts"
import { makeRepository } from "./agents/repository.ts"
import { startServer, type TestServer } from "./server.ts"

const WRONG = "export const add = (a, b) => a - b\n"
const RIGHT = "export const add = (a, b) => a + b\n"
const TEST = `import assert from "node:assert"
import { test } from "node:test"
import { add } from "./sum.js"

test("adds", () => assert.equal(add(1, 2), 3))
`
const PACKAGE = `${JSON.stringify({ type: "module" })}\n`

type Files = Record<string, string>
type Call = [name: string, args: Record<string, unknown>]

let server: TestServer | undefined
afterEach(() => server?.close())

const checks = { test: "node --test" }

/**
 * Creates a model for a team with one worker. The worker writes the tests, then each attempt at the sum until one is
 * published.
 */
function modelThatTries(attempts: Files[], told: string[] = []) {
  return createScriptedProvider(({ messages, tools }) => {
    const calls = isCoordinator(tools) ? coordinate(messages, told) : work(messages, attempts)
    return answerOf(calls, messages.length)
  })
}

function coordinate(messages: readonly Message[], told: string[]): Call[] {
  const last = messages.at(-1)
  told.push(...messages.flatMap(({ role, content }) => (role === "tool" ? String(content) : [])))
  if (String(last?.content).includes("Not finished")) return [["finish", { summary: "It doesn't add." }]]
  if (last?.role !== "user") return []
  const text = String(last.content)
  const assign = (node_id: string): Call => ["assign_worker", { node_id, worker_id: "Ada" }]
  if (text.includes("tests is completed.")) return [assign("sum")]
  if (text.includes("sum is completed.")) return [["finish", { summary: "It adds." }]]
  if (text.includes("sum failed.")) return [["finish", { summary: "It doesn't add." }]]
  if (!text.includes("The goal:")) return []
  return [
    ["spawn_worker", { name: "Ada", role: "Writes" }],
    ["create_work_node", { node_id: "tests", task: "Write the tests" }],
    ["create_work_node", { node_id: "sum", task: "Write sum.js", deps: ["tests"], checks }],
    assign("tests"),
  ]
}

function work(messages: readonly Message[], attempts: Files[]): Call[] {
  const isTests = String(messages[0]?.content).includes("Your node is tests")
  const tries: Files[] = isTests ? [{ "package.json": PACKAGE, "sum.test.js": TEST }] : attempts
  const refused = messages.filter(({ content }) => String(content).startsWith("ERROR: Nothing is published"))
  const last = messages.at(-1)
  const files = tries[Math.min(refused.length, tries.length - 1)] ?? {}
  if (last?.role === "tool" && !last.isError) return [["publish", { summary: "All tests pass." }]]
  return Object.entries(files).map(([path, content]): Call => ["write_file", { path, content }])
}

async function startTeam(attempts: Files[], told?: string[]) {
  server = await startServer({ scripted: modelThatTries(attempts, told) })
  const json = { goal: "Add numbers", consent: true }
  const { status, body: team } = await server.call("POST", "/api/v1/teams", { json })
  expect(status).toBe(201)
  return { server, team, run: await server.ended(team.run_id) }
}

describe("a node with checks", () => {
  it("goes back to its worker with what failed, and is published once they pass", async () => {
    const { server, team, run } = await startTeam([{ "sum.js": WRONG }, { "sum.js": RIGHT }])
    expect(run.status).toBe("completed")
    const { body: node } = await server.call("GET", `/api/v1/teams/${team.id}/board/sum`)
    expect(node).toMatchObject({ status: "completed", checks, published_files: ["sum.js"] })
    const tests = [{ name: "test", command: "node --test", passed: true, set: true, tests: { passed: 1 } }]
    expect(node.verdict).toMatchObject({ status: "passed", node_id: "sum", workspace_version: null, checks: tests })
    const { body: conversation } = await server.call("GET", `/v1/runs/${node.run_id}/events?limit=1000`)
    const text = JSON.stringify(conversation)
    expect(text).toContain("node --test: 1 test failed, 0 passed (set by you)")
    // A verdict on one node isn't a verdict on the session's files.
    expect((await server.call("GET", `/api/v1/sessions/${team.id}`)).body.verdict ?? null).toBe(null)
    expect(server.reported).toEqual([])
  })

  it("isn't completed by what makes tests say nothing, and fails in the end", async () => {
    const lies: Files[] = [
      { "sum.js": WRONG, "sum.test.js": TEST.replace("3)", "-1)") },
      { "sum.js": WRONG, "sum.test.js": TEST.replace('test("adds"', 'test.skip("adds"') },
      { "sum.js": `${WRONG}process.exit(0)\n`, "sum.test.js": TEST },
      { "sum.js": WRONG },
    ]
    const { server, team, run } = await startTeam(lies)
    expect(run.status).toBe("completed")
    const { body: node } = await server.call("GET", `/api/v1/teams/${team.id}/board/sum`)
    expect(node).toMatchObject({ status: "failed", verdict: null, published_files: [] })
    expect(node.result).toContain("This node's checks don't pass.")
    const { body: events } = await server.call("GET", `/api/v1/teams/${team.id}/events?limit=1000`)
    const completed = events.filter(({ type }: { type: string }) => type === "node.completed")
    expect(completed.map(({ data }: { data: { node_id: string } }) => data.node_id)).toEqual(["tests"])
    expect(server.reported).toEqual([])
  })

  it("isn't completed while a test of its own is weaker than it was when it was checked", async () => {
    const own = TEST.replace("adds", "is right")
    const weaker = own.replace("equal(add(1, 2), 3)", "ok(add(1, 2))")
    const { server, team } = await startTeam([
      { "sum.js": WRONG, "own.test.js": own },
      { "sum.js": RIGHT, "own.test.js": weaker },
      { "own.test.js": own },
    ])
    const { body: node } = await server.call("GET", `/api/v1/teams/${team.id}/board/sum`)
    expect([node.status, node.verdict?.status, node.verdict?.changed_tests]).toEqual(["completed", "passed", undefined])
    const { body: conversation } = await server.call("GET", `/v1/runs/${node.run_id}/events?limit=1000`)
    expect(JSON.stringify(conversation)).toContain("asserts less than before")
  })

  it("is refused where nothing may be run", async () => {
    const told: string[] = []
    server = await startServer({ scripted: modelThatTries([{ "sum.js": RIGHT }], told) })
    const { body: team } = await server.call("POST", "/api/v1/teams", { json: { goal: "Add numbers" } })
    const { status, body } = await server.call("POST", `/api/v1/teams/${team.id}/nodes`, {
      json: { task: "Write sum.js", checks },
    })
    expect(status).toBe(409)
    expect(body.error.message ?? body.error).toContain("This team can't run commands")
    await expect.poll(() => told.join("\n")).toContain("This team can't run commands")
  })

  it("has a program's work checked by them, though the team asks for no proof otherwise", async () => {
    const names = ["Ada", "Lin"]
    const plan = [
      ...names.map((name): Call => ["spawn_worker", { name, role: "Mends", type: "mock" }]),
      ...names.map((_, at): Call => {
        const files = { "sum.js": at === 0 ? RIGHT : WRONG }
        const task = `Mend sum.js. mock: ${JSON.stringify({ files })}`
        return ["create_work_node", { node_id: `n${at}`, task, checks }]
      }),
      ...names.map((name, at): Call => ["assign_worker", { node_id: `n${at}`, worker_id: name }]),
    ]
    const scripted = createScriptedProvider(({ messages }) =>
      answerOf(messages.length > 1 ? [] : plan, messages.length),
    )
    server = await startServer({ scripted })
    const files = { "package.json": PACKAGE, "sum.js": WRONG, "sum.test.js": TEST }
    const repository = makeRepository(join(dirname(server.folder), "checked"), files)
    await server.call("PUT", "/api/v1/config/max-verification-attempts", { json: { attempts: 1 } })
    const json = { goal: "Mend it", coding_agents: ["mock"], project_path: repository.folder, consent: true }
    const { body: team } = await server.call("POST", "/api/v1/teams", { json })
    const board = async () => (await server?.call("GET", `/api/v1/teams/${team.id}/board`))?.body.nodes
    const states = async () => (await board()).map(({ status }: { status: string }) => status)
    await expect.poll(states, { interval: 500 }).toEqual(["completed", "failed"])
    const { body: node } = await server.call("GET", `/api/v1/teams/${team.id}/board/n0`)
    expect(node.verdict).toMatchObject({ status: "passed", checks: [{ command: "node --test", set: true }] })
    await server.call("POST", `/v1/runs/${team.run_id}/cancel`)
  })
})
