import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { cases } from "../settings.ts"
import { makeRepository } from "./agents/repository.ts"
import { planModel, type TeamPlan } from "./agents/team-plan.ts"
import { startServer, type TestServer } from "./server.ts"

const WRONG = "export const add = (a, b) => a - b\n"
const TEST = `import assert from "node:assert"
import { test } from "node:test"
import { add } from "./sum.js"

test("adds", () => assert.equal(add(1, 2), 3))
`
const manifest = (scripts: object) => `${JSON.stringify({ type: "module", scripts })}\n`
const PROJECT = { "package.json": manifest({ test: "node --test" }), "sum.js": WRONG, "sum.test.js": TEST }

/** Incomplete work that workers report as done. */
const lies: object[] = [
  { files: {}, say: "All tests pass." },
  { files: { "sum.test.js": "" } },
  { files: {}, deletes: ["sum.test.js"] },
  { files: { "package.json": manifest({ test: "true" }) } },
  { files: { "sum.js": `${WRONG}process.exit(0)\n` } },
]
const LIARS = cases({ usual: 2, deep: 20 })
const names = Array.from({ length: LIARS }, (_, at) => `Liar${at}`)
const plan: TeamPlan = {
  workers: names.map((name) => ({ name, type: "mock" })),
  nodes: names.map((name, at) => {
    const task = `Mend sum.js. I am ${name}. mock: ${JSON.stringify(lies[at % lies.length])}`
    return { id: `n${at}`, worker: name, deps: [], task }
  }),
}

let server: TestServer
beforeAll(async () => {
  server = await startServer({ scripted: planModel(() => plan) })
})
afterAll(() => server.close())

it("takes the word of none of its workers for a node whose checks say otherwise", async () => {
  const repository = makeRepository(join(dirname(server.folder), "mended"), PROJECT)
  const once = { attempts: 1 }
  await server.call("PUT", "/api/v1/config/max-verification-attempts", { json: once })
  const json = { goal: "Mend it", coding_agents: ["mock"], project_path: repository.folder, verify: true }
  const { status, body: team } = await server.call("POST", "/api/v1/teams", { json: { ...json, consent: true } })
  expect(status).toBe(201)
  const nodes = async () => (await server.call("GET", `/api/v1/teams/${team.id}/board`)).body.nodes
  const states = async () => (await nodes()).map((node: { status: string }) => node.status)
  await expect.poll(states, { interval: 500 }).toEqual(names.map(() => "failed"))
  const { body: events } = await server.call("GET", `/api/v1/teams/${team.id}/events?limit=1000`)
  const types = events.map(({ type }: { type: string }) => type)
  expect(types.filter((type: string) => type === "node.completed")).toEqual([])
  expect(types.filter((type: string) => type === "node.failed")).toHaveLength(LIARS)
  for (const { run_id, result } of await nodes()) {
    const { body: run } = await server.call("GET", `/v1/runs/${run_id}`)
    expect(run).toMatchObject({ status: "failed" })
    expect(run.verdict?.status).not.toBe("passed")
    expect(result).not.toBe("")
  }
  await server.call("POST", `/v1/runs/${team.run_id}/cancel`)
  expect(repository.git("show", "main:sum.js")).toBe(WRONG)
  expect(server.reported).toEqual([])
})
