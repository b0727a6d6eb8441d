import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openTeam } from "./agents/team.ts"
import { startServer, type TestServer } from "./server.ts"

const project = {
  "package.json": `${JSON.stringify({ type: "module", scripts: { test: "node --test" } })}\n`,
  "sum.js": "export const add = (a, b) => a - b\n",
  "sum.test.js": `import assert from "node:assert"
import { test } from "node:test"
import { add } from "./sum.js"
test("adds", () => assert.equal(add(1, 2), 3))
`,
}
/** Mends it in the worktree that has this name, and elsewhere does something else. */
const mendIn = (name: string) => `case "$PWD" in *${name}*) sed -i 's/a - b/a + b/' sum.js;; *) echo > other.js;; esac`

let server: TestServer
let made = 0
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

interface Row {
  name: string
  run_id: string
}

async function begin(names: string[], knobs: object, asked: object = {}) {
  const team = await openTeam(server, join(dirname(server.folder), `bake-off-${made++}`), project)
  const path = `${team.path}/bake-offs`
  const task_description = `Mend it. mock: ${JSON.stringify({ files: {}, ...knobs })}`
  const entrants = names.map((name) => ({ coding_agent: "mock", coding_model: "small", name }))
  const json = { task_description, entrants, verification_attempts: 1, consent: true, ...asked }
  const { status, body } = await server.call("POST", path, { json })
  expect(status, JSON.stringify(body)).toBe(201)
  const at = `${path}/${body.bake_off_id}`
  return {
    team,
    started: body,
    table: async () => (await server.call("GET", at)).body,
    ended: () => Promise.all(body.rows.map(({ run_id }: Row) => server.ended(run_id))),
    settle: (json: object) => server.call("POST", `${at}/settle`, { json }),
  }
}

describe("a bake-off", () => {
  it("gives one task to agents in worktrees of their own, compares them, adopts one and discards the rest", async () => {
    const { team, started, table, ended, settle } = await begin(["good", "bad"], { commands: [mendIn("good")] })
    expect(started).toMatchObject({ status: "running", adopted: null, title: expect.stringContaining("Mend it.") })
    await ended()
    const ready = await table()
    expect(ready.status).toBe("ready")
    const [good, bad] = ready.rows
    const cost = { cost_usd: 0, cost_is_complete: true, tokens: 110, attempts: 1, duration_ms: expect.any(Number) }
    const size = { files_changed: 1, insertions: 1, deletions: 1 }
    expect(good).toMatchObject({ name: "good", status: "completed", passed: true, reason: null, diff: size, ...cost })
    expect(bad).toMatchObject({ name: "bad", status: "failed", passed: false, diff: { deletions: 0 }, ...cost })
    expect(bad.reason).toContain("1 test failed")

    const { status, body } = await settle({ adopt: "good" })
    expect([status, body.merge.status]).toEqual([200, "merged"])
    expect(body.bake_off).toMatchObject({ status: "settled", adopted: good.agent_id, rows: ready.rows })
    expect(team.repository.git("show", "main:sum.js")).toContain("a + b")
    expect(team.repository.git("branch", "--list", "*bad*").trim()).toBe("")
    const { body: listed } = await server.call("GET", `${team.path}/agents`)
    expect(listed.agents.map(({ name }: Row) => name)).toEqual(["main", "good"])
    expect((await settle({ adopt: null })).body.error.code).toBe("merge_blocked")
    expect(await table()).toEqual(body.bake_off)
  })

  it("stays open where the chosen work conflicts, and takes none of the results where none is wanted", async () => {
    const asked = { verify: false, entrants: [{ coding_agent: "mock" }, { coding_agent: "mock" }] }
    const { team, started, ended, settle, table } = await begin([], { files: { "sum.js": "mine\n" } }, asked)
    expect(started.rows.map(({ name }: Row) => name)).toEqual(["mock", "mock-2"])
    await ended()
    team.repository.write({ "sum.js": "theirs\n" })
    team.repository.git("commit", "-qam", "theirs")
    const conflicted = await settle({ adopt: "mock" })
    expect(conflicted.body).toMatchObject({ merge: { status: "conflicts" }, bake_off: { status: "ready" } })
    expect((await table()).adopted).toBeNull()
    await team.session.ask("POST", "/abort-merge?worktree=mock")
    const { body } = await settle({ adopt: null })
    expect(body).toMatchObject({ merge: null, bake_off: { status: "settled", adopted: null } })
    expect(team.repository.git("branch", "--list", "*mock*").trim()).toBe("")
  })
})
