import type { Message } from "@switchyard/core/models/provider"
import { afterAll, expect, it } from "vitest"
import { answerOf, isCoordinator } from "../core/work/teams/team-model.ts"
import { createScriptedProvider } from "../fixtures/scripted-model.ts"
import { cases } from "../settings.ts"
import { startServer, type TestServer } from "./server.ts"

const WRONG = "export const add = (a, b) => a - b\n"
const TEST = `import assert from "node:assert"
import { test } from "node:test"
import { add } from "./sum.js"

test("adds", () => assert.equal(add(1, 2), 3))
`
const manifest = (scripts: object) => `${JSON.stringify({ type: "module", scripts })}\n`

type Files = Record<string, string>
type Call = [name: string, args: Record<string, unknown>]

const project: Files = { "package.json": manifest({ test: "node --test" }), "sum.js": WRONG, "sum.test.js": TEST }
/** Incomplete work that model workers report as done. */
const lies: Files[] = [
  {},
  { "sum.js": WRONG },
  { "sum.test.js": "// Nothing to test.\n" },
  { "package.json": manifest({ test: "true" }) },
  { "sum.js": `${WRONG}process.exit(0)\n` },
]
const LIARS = cases({ usual: 5, deep: 20 })
const names = Array.from({ length: LIARS }, (_, at) => `Liar${at}`)
const checks = { test: "node --test" }

function coordinate(messages: readonly Message[]): Call[] {
  const said = String(messages.at(-1)?.content)
  const assign = (name: string): Call => ["assign_worker", { node_id: name.toLowerCase(), worker_id: name }]
  if (messages.length === 1) {
    const mend = (name: string) => ({
      node_id: name.toLowerCase(),
      task: `Mend sum.js: ${name}`,
      deps: ["base"],
      checks,
    })
    return [
      ["create_work_node", { node_id: "base", task: "Begin" }],
      ...["Base", ...names].map((name): Call => ["spawn_worker", { name, role: "Works", max_iterations: 4 }]),
      ...names.map((name): Call => ["create_work_node", mend(name)]),
      assign("Base"),
    ]
  }
  return said.includes("base is completed.") ? names.map(assign) : []
}

function work(messages: readonly Message[]): Call[] {
  const [, liar] = /^Your node is liar(\d+)/.exec(String(messages[0]?.content)) ?? []
  const files = liar === undefined ? project : (lies[Number(liar) % lies.length] ?? {})
  const writes = Object.entries(files).map(([path, content]): Call => ["write_file", { path, content }])
  return messages.length === 1 && writes.length > 0 ? writes : [["publish", { summary: "All tests pass." }]]
}

let server: TestServer | undefined
afterAll(() => server?.close())

it(`completes no node for the word of its worker, of ${LIARS} that lie`, async () => {
  const scripted = createScriptedProvider(({ messages, tools }) =>
    answerOf(isCoordinator(tools) ? coordinate(messages) : work(messages), messages.length),
  )
  server = await startServer({ scripted })
  await server.call("PUT", "/api/v1/config/max-verification-attempts", { json: { attempts: 1 } })
  const { body: team } = await server.call("POST", "/api/v1/teams", { json: { goal: "Mend it", consent: true } })
  const nodes = async () => (await server?.call("GET", `/api/v1/teams/${team.id}/board`))?.body.nodes
  const ended = async () =>
    (await nodes()).filter(({ status }: { status: string }) => ["completed", "failed"].includes(status)).length
  await expect.poll(ended, { interval: 500 }).toBe(1 + LIARS)
  expect((await nodes()).map(({ status }: { status: string }) => status)).toEqual([
    "completed",
    ...names.map(() => "failed"),
  ])
  const { body: events } = await server.call("GET", `/api/v1/teams/${team.id}/events?limit=1000`)
  const completed = events.filter(({ type }: { type: string }) => type === "node.completed")
  expect(completed.map(({ data }: { data: { node_id: string } }) => data.node_id)).toEqual(["base"])
  for (const { id, published_files } of (await nodes()).slice(1)) {
    expect(published_files).toEqual([])
    expect((await server.call("GET", `/api/v1/teams/${team.id}/board/${id}`)).body.verdict).toBeNull()
  }
  await server.call("POST", `/v1/runs/${team.run_id}/cancel`)
})
