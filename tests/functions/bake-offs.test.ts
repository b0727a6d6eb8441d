import { dirname, join } from "node:path"
import { createBakeOffs } from "@switchyard/core/sessions/bake-offs/bake-offs"
import { createSealer } from "@switchyard/core/storage/sealing"
import { systemClock } from "@switchyard/core/time"
import { NewBakeOff } from "@switchyard/core/work/bake-offs/schema"
import { sweep } from "@switchyard/core/work/runs/sweep"
import { compose } from "@switchyard/functions/compose"
import { loadConfig } from "@switchyard/functions/config"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bakeOffTable } from "../../packages/cli/src/commands/bake-off-table.ts"
import { switchyard } from "../cli/spawn.ts"
import { mortal } from "../core/work/mortal-stores.ts"
import { itDeep } from "../depth.ts"
import { openStores, type Stores } from "../fixtures/stores.ts"
import { never as signal } from "../settings.ts"
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
/**
 * Returns a command that fixes `sum.js` in the worktree with this name. In other worktrees, it writes an unrelated
 * file.
 */
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

const openProject = () => openTeam(server, join(dirname(server.folder), `bake-off-${made++}`), project)

describe("a bake-off", () => {
  it("gives one task to agents in worktrees of their own, compares them, adopts one and discards the rest", async () => {
    const team = await openProject()
    const cli = (...args: string[]) => switchyard(args, { url: server.url })
    const task = `Mend it. mock: ${JSON.stringify({ files: {}, commands: [mendIn("good")] })}`
    const entrants = ["--entrant", "mock=good", "--entrant", "mock=bad"]
    const ended = await cli("bake-off", task, "--session", team.session.id, ...entrants, "--attempts", "1", "--consent")
    expect([ended.code, ended.stderr]).toEqual([0, ""])
    expect(ended.stdout).toMatch(/mock-good +good +passed +1 +\$0\.00 .* 1 +\+1 -1\n/)
    expect(ended.stdout).toMatch(/mock-bad +bad +failed +1 +\$0\.00 .* 1 +\+1 -0\n/)
    expect(ended.stdout).toContain("mock-bad: The work isn't verified. npm test: 1 test failed, 0 passed.")

    const table = async () => (await server.call("GET", `${team.path}/bake-offs`)).body.bake_offs
    const [ready] = await table()
    expect(ready).toMatchObject({ status: "ready", adopted: null, rows: [{ passed: true }, { passed: false }] })
    expect(ready.base_commit).toBe(team.repository.git("rev-parse", "main").trim())
    expect(ready.rows[0]).toMatchObject({ cost_usd: 0, cost_is_complete: true, tokens: 110, attempts: 1 })
    const adopted = await cli("bake-offs", team.session.id, "--adopt", "mock-good")
    expect([adopted.code, adopted.stdout]).toEqual([0, expect.stringMatching(/mock-good +good +kept/)])
    expect(team.repository.git("show", "main:sum.js")).toContain("a + b")
    expect(team.repository.git("branch", "--list", "*bad*").trim()).toBe("")
    const { body } = await server.call("GET", `${team.path}/agents`)
    expect(body.agents.map(({ name }: Row) => name)).toEqual(["main", "mock-good"])
    // The results remain after the worktrees are removed.
    const [settled] = await table()
    expect(settled).toEqual({ ...ready, status: "settled", adopted: ready.rows[0].agent_id })
    const again = await server.call("POST", `${team.path}/bake-offs/${ready.bake_off_id}/settle`, {
      json: { adopt: null },
    })
    expect(again.body.error.code).toBe("merge_blocked")
  })

  it("says of work for which there are no checks that it is not verified, not that it failed", async () => {
    const team = await openTeam(server, join(dirname(server.folder), `bake-off-${made++}`), { "notes.md": "Notes\n" })
    const task_description = 'Write it. mock: {"files":{"notes.md":"More\\n"}}'
    const json = { task_description, entrants: [{ coding_agent: "mock" }, { coding_agent: "mock" }], consent: true }
    const begin = (asked: object) =>
      server.call("POST", `${team.path}/bake-offs`, { json: asked, headers: { "idempotency-key": team.path } })
    // A client that missed the reply retries like this.
    const [{ body: started }, { body: same }] = await Promise.all([begin(json), begin(json)])
    expect([same.bake_off_id, same.rows.length]).toEqual([started.bake_off_id, 2])
    expect((await begin({ ...json, verify: false })).body.error.code).toBe("idempotency_conflict")
    expect((await server.call("GET", `${team.path}/bake-offs`)).body.bake_offs).toHaveLength(1)
    await Promise.all(started.rows.map(({ run_id }: Row) => server.ended(run_id)))
    const { body: ended } = await server.call("GET", `${team.path}/bake-offs/${started.bake_off_id}`)
    expect((await begin(json)).body).toEqual(ended)
    expect(ended.rows[0]).toMatchObject({ passed: false, verdict: "not_run" })
    expect(bakeOffTable(ended)[2]).toMatch(/^mock +mock +not verified /)
  })

  itDeep("stays open where the chosen work conflicts, and takes none of the results where none is wanted", async () => {
    const team = await openProject()
    const path = `${team.path}/bake-offs`
    const task_description = 'Write it. mock: {"files":{"sum.js":"mine\\n"}}'
    const json = { task_description, verify: false, entrants: [{ coding_agent: "mock" }, { coding_agent: "mock" }] }
    const { body: started } = await server.call("POST", path, { json: { ...json, consent: true } })
    expect(started).toMatchObject({ status: "running", title: expect.stringContaining("Write it.") })
    expect(started.rows.map(({ name }: Row) => name)).toEqual(["mock", "mock-2"])
    await Promise.all(started.rows.map(({ run_id }: Row) => server.ended(run_id)))
    const settle = (choice: object) => server.call("POST", `${path}/${started.bake_off_id}/settle`, { json: choice })
    team.repository.write({ "sum.js": "theirs\n" })
    team.repository.git("commit", "-qam", "theirs")
    const conflicted = await settle({ adopt: "mock" })
    expect(conflicted.body).toMatchObject({ merge: { status: "conflicts" }, bake_off: { status: "ready" } })
    await team.session.ask("POST", "/abort-merge?worktree=mock")
    const { body } = await settle({ adopt: null })
    expect(body).toMatchObject({ merge: null, bake_off: { status: "settled", adopted: null } })
    expect(team.repository.git("branch", "--list", "*mock*").trim()).toBe("")
  })
})

/** Composes core on these stores with a clock that is `aheadMs` ahead. Launched runs are recorded, not started. */
function processOn(stores: Pick<Stores, "records" | "blobs">, aheadMs = 0) {
  const launched: string[] = []
  const sealer = createSealer(new Uint8Array(32))
  const core = compose(loadConfig({}), {
    ...{ records: stores.records, blobs: stores.blobs },
    clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
    ...{ sealer, sealerOf: () => sealer, writer: "test" },
    launcher: { start: async ({ runId }) => void launched.push(runId) },
    report: (error) => expect.unreachable(String(error)),
  })
  // These tests start no runner.
  const host = { ...core.launcher, serve: async () => {} }
  const bakeOffs = createBakeOffs({ ...core.executor, ...core, launcher: host, agents: {} } as never)
  const find = async (id: string) => ({ ...(await core.sessions.find("ada", id, { signal })), owner: "ada" })
  return { core, launched, bakeOffs, find }
}

describe("a bake-off whose process is killed at any of its writes as it begins", () => {
  it("has begun with all of its entrants or with none, and the sweep launches all of them", async () => {
    const stores = await openStores()
    const first = processOn(stores)
    const entrants = [{ coding_agent: "mock" }, { coding_agent: "mock" }, { coding_agent: "mock" }]
    const asked = NewBakeOff.parse({ task_description: "Mend it.", entrants, consent: true })
    const seen = new Set<number>()
    for (const last of ["lost", "done"] as const) {
      for (let nth = 1, isDead = true; isDead; nth++) {
        const [id, where] = [`${last}-${nth}`, `killed at write ${nth}, ${last}`]
        await first.core.sessions.touch("ada", id, { active: true, repository: "/tmp", signal })
        const dying = processOn(mortal(stores, nth, last).on)
        const key = `bake-off ${id}`
        isDead = await dying.bakeOffs.start(await first.find(id), asked, { key, signal }).then(
          () => false,
          () => true,
        )
        const later = processOn(stores, 5 * 60_000)
        await sweep(later.core.sweep, { signal })
        const list = async () => later.bakeOffs.list(await later.find(id), { signal })
        const found = await list()
        const rows = found.flatMap((one) => one.rows)
        seen.add(rows.length)
        expect([0, entrants.length], where).toContain(rows.length)
        expect(new Set(rows.map(({ status }) => status)), where).toEqual(new Set(rows.length > 0 ? ["queued"] : []))
        expect(found.every(({ status }) => status === "running")).toBe(true)
        expect(later.launched.sort(), where).toEqual(rows.map(({ run_id }) => run_id).sort())
        // A retry returns the first bake-off. If none began, it starts one.
        const again = await later.bakeOffs.start(await later.find(id), asked, { key, signal })
        expect([await list(), again.rows.length], where).toEqual([[again], entrants.length])
        if (found[0]) expect(again.bake_off_id).toBe(found[0].bake_off_id)
        await first.core.sessions.remove("ada", id, { signal })
      }
    }
    expect(seen).toEqual(new Set([0, entrants.length]))
    await stores.close()
  })
})
