import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { switchyard } from "../cli/spawn.ts"
import { cases } from "../settings.ts"
import { makeRepository } from "./agents/repository.ts"
import { startServer, type TestServer } from "./server.ts"

const WRONG = "export const add = (a, b) => a - b\n"
const RIGHT = "export const add = (a, b) => a + b\n"
const TEST = `import assert from "node:assert"
import { test } from "node:test"
import { add } from "./sum.js"

test("adds", () => assert.equal(add(1, 2), 3, "sum.js is wrong"))
`
const project = {
  "package.json": `${JSON.stringify({ type: "module", scripts: { test: "node --test" } })}\n`,
  "sum.js": WRONG,
  "sum.test.js": TEST,
}

let server: TestServer
let made = 0
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

function repositoryWith(files: Record<string, string>) {
  return makeRepository(join(dirname(server.folder), `theirs-${made++}`), files)
}

const NOBODY = { verification_agent: null, verification_model: null, verification_reasoning: null }
const NEVER = { verify: false, allow_test_changes: false, verification_attempts: 5, ...NOBODY }
const ONCE = { ...NEVER, verification_attempts: 1 }

/** Resolves to a function that returns the run's events of a type. */
async function eventsOf(runId: string) {
  const { events } = (await server.call("GET", `/v1/runs/${runId}/events?limit=1000`)).body
  return (type: string) => events.filter((event: { type: string }) => event.type === type)
}

/** Has the mock agent do a verified task in a repository. Resolves to the run, its events and its attempts. */
async function verified(knobs: object, asked: object = {}) {
  const user_prompt = `Mend it. mock: ${JSON.stringify(knobs)}`
  const json = { kind: "agent", coding_agent: "mock", user_prompt, verify: true, consent: true }
  const run = await server.run({ ...json, repository: repositoryWith(project).folder, ...asked })
  const of = await eventsOf(run.run_id)
  return { run, of, attempts: of("verification_attempt") }
}

/** Runs a verified task from the command line, as a pipeline does, and returns its reports. */
async function switchyardVerifies(knobs: object, { folder }: { folder: string }) {
  const [junit, sarif] = [`${folder}.xml`, `${folder}.sarif`]
  const args = ["run", `mock: ${JSON.stringify(knobs)}`, "--agent", "mock", "--verify", "--consent"]
  const reports = ["--junit", junit, "--sarif", sarif]
  const ended = await switchyard([...args, "--repository", folder, ...reports], { url: server.url })
  const { runs } = JSON.parse(readFileSync(sarif, "utf8"))
  return { ...ended, junit: readFileSync(junit, "utf8"), sarif: runs[0] }
}

/** Expects valid evidence of the run, which becomes void once another task changes the work. */
async function expectVoidOnceItGoesOn(run: { workspace_id: string; run_id: string }): Promise<void> {
  const id = run.workspace_id
  const evidence = async () => (await server.call("GET", `/api/v1/sessions/${id}/worktree/evidence`)).body
  const found = await evidence()
  expect(found).toMatchObject({ state: "valid", reason: null, run_id: run.run_id, max_attempts: 5 })
  expect(found.attempts.map(({ passed }: { passed: boolean }) => passed)).toEqual([false, true])
  expect(found.latest).toMatchObject({ attempt_number: 2, commit: found.worktree_commit, summary: "The checks pass." })
  const check = { command: "npm test", passed: true, original_tests: false, output: expect.stringContaining("pass 1") }
  expect(found.checks).toMatchObject([check])
  expect((await switchyard(["evidence", id], { url: server.url })).code).toBe(0)

  const json = {
    coding_agent: "mock",
    task_description: `More. mock: ${JSON.stringify({ files: { "sum.js": WRONG } })}`,
  }
  const { body: task } = await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })
  expect((await server.ended(task.task_id)).status).toBe("completed")
  const after = await evidence()
  expect(after).toMatchObject({ state: "void", run_id: run.run_id, latest: found.latest })
  expect(after.reason).toBe(`The branch has since moved to ${after.worktree_commit.slice(0, 9)}.`)
  const shown = await switchyard(["evidence", id], { url: server.url })
  expect([shown.code, shown.stdout.includes("The evidence is no longer valid.")]).toEqual([6, true])
}

describe("a task that is to be verified", () => {
  it("completes with the commit on which the project's own checks passed", async () => {
    const repository = repositoryWith(project)
    const { code, stdout, junit, sarif } = await switchyardVerifies({ files: { "sum.js": RIGHT } }, repository)
    expect(stdout).toContain("The checks pass.")
    expect(code).toBe(0)
    const [, runId = ""] = /(run_\w+)/.exec(stdout) ?? []
    const { body: run } = await server.call("GET", `/v1/runs/${runId}`)
    expect(run).toMatchObject({ status: "completed", error: null, warning: null })
    const of = await eventsOf(runId)
    const [{ base_commit, checks }] = of("verification_planned")
    expect(base_commit).toBe(repository.git("rev-parse", "main").trim())
    expect(checks).toEqual([{ name: "test", command: "npm test" }])
    const [, branch = ""] = /The work is on (\S+) of/.exec(stdout) ?? []
    const commit = repository.git("rev-parse", branch).trim()
    expect(run.verdict).toMatchObject({ status: "passed", commit, checks: [{ tests: { passed: 1, failed: 0 } }] })
    const [attempt] = of("verification_attempt")
    expect(attempt).toMatchObject({ attempt_number: 1, passed: true, result: "passed", issues: [], commit })
    expect(junit).toContain('tests="2" failures="0" skipped="0"')
    expect(junit).toContain(`<property name="commit" value="${commit}"/>`)
    expect(sarif).toMatchObject({ results: [], properties: { commit } })
  })

  it("is checked by the commands of its repository, whatever its session", async () => {
    const { folder } = repositoryWith(project)
    const path = "/api/v1/config/repositories"
    const own = {
      repository: folder,
      checks: { test: "node --test --test-name-pattern=nothing; npm test" },
    }
    await server.call("PUT", path, { json: { repositories: [own] } })
    const { run, of } = await verified({ files: { "sum.js": RIGHT } }, { repository: folder })
    expect(run).toMatchObject({ status: "completed", verdict: { checks: [{ command: own.checks.test, set: true }] } })
    expect(of("verification_planned")[0].checks).toEqual([{ name: "test", command: own.checks.test }])
    await server.call("PUT", path, { json: { repositories: [] } })
  })

  it("is checked as the project of its repository that was set, where there are several", async () => {
    const { folder } = repositoryWith({ ...project, "test_sum.py": "" })
    const set = { project_path: folder, project_type: "python" }
    await server.call("PUT", "/api/v1/config/project", { json: set })
    const { of } = await verified({ files: { "sum.js": RIGHT } }, { repository: folder, verification_attempts: 1 })
    // The check is planned even if this machine lacks the program.
    expect(of("verification_planned")[0].checks).toEqual([{ name: "test", command: "python3 -m unittest discover -v" }])
    await server.call("PUT", "/api/v1/config/repositories", { json: { repositories: [] } })
  })

  it("has as much time for its checks as its repository says", async () => {
    const { folder } = repositoryWith(project)
    const path = "/api/v1/config/repositories"
    const own = { repository: folder, checks: { test: "sleep 600", limits_seconds: { test: 1 } } }
    await server.call("PUT", path, { json: { repositories: [own] } })
    const task = { repository: folder, verification_attempts: 1 }
    const { run, of } = await verified({ files: { "sum.js": RIGHT } }, task)
    expect(run).toMatchObject({ status: "failed", error: { error_type: "not_verified" } })
    const [{ issues }] = of("verification_attempt")
    expect(issues).toEqual([expect.stringContaining("It exceeded its time limit of 1 s")])
    await server.call("PUT", path, { json: { repositories: [] } })
  })

  it("goes back to the agent with what failed, until that is mended", async () => {
    const { run, attempts, of } = await verified({ files: { "new.js": "" }, later: [{ "sum.js": RIGHT }] })
    expect(run).toMatchObject({ status: "completed", verdict: { status: "passed" } })
    expect(attempts.map(({ passed }: { passed: boolean }) => passed)).toEqual([false, true])
    expect(attempts[0].issues).toEqual(["npm test: 1 test failed, 0 passed."])
    const [, told] = of("user_message")
    expect(told.content).toContain("sum.js is wrong")
    expect(told.content).toContain("attempt 1 of 5")
    const sessions = of("agent_session_opened").map((each: { native_session_id: string }) => each.native_session_id)
    expect(new Set(sessions).size).toBe(1)
    await expectVoidOnceItGoesOn(run)
  })

  it("is verified as its session is set, and else as its repository, unless it says it itself", async () => {
    const { folder } = repositoryWith(project)
    const { body: session } = await server.call("POST", "/api/v1/sessions", { json: { repository: folder } })
    const at = `/api/v1/sessions/${session.id}/verification`
    const setting = async () => (await server.call("GET", at)).body
    expect((await setting()).effective).toEqual(NEVER)
    const repositories = [{ repository: folder, verification: { verify: true, verification_attempts: 1 } }]
    expect((await server.call("PUT", "/api/v1/config/repositories", { json: { repositories } })).status).toBe(200)
    expect(await setting()).toMatchObject({ session: { verify: null }, effective: { ...ONCE, verify: true } })
    const run = async (knobs: object, asked = {}) => {
      const task_description = `Do it. mock: ${JSON.stringify(knobs)}`
      const json = { coding_agent: "mock", task_description, consent: true, ...asked }
      const { body } = await server.call("POST", `/api/v1/sessions/${session.id}/tasks`, { json })
      return server.ended(body.task_id)
    }
    expect((await run({ files: { "new.js": "" } })).error).toMatchObject({ error_type: "not_verified" })
    expect((await run({}, { verify: false })).status).toBe("completed")
    const shown = await switchyard(["verification", session.id, "--off"], { url: server.url })
    expect(shown.stdout).toContain("Tasks aren't verified (set for this session).")
    expect(await setting()).toMatchObject({ session: { verify: false }, effective: ONCE })
    expect((await run({})).verdict).toBeNull()
    await switchyard(["verification", session.id, "--inherit"], { url: server.url })
    expect((await setting()).effective).toEqual({ ...ONCE, verify: true })
  })

  it("fails where it is never mended, and keeps the work", async () => {
    const attempts = cases({ usual: 1, deep: 5 })
    const passing = 'import test from "node:test"\ntest("adds", () => {})\n'
    const knobs = { files: { "new.js": "kept", "sum.test.js": passing } }
    const { run, attempts: made } = await verified(knobs, { verification_attempts: attempts })
    expect(run).toMatchObject({ status: "failed", verdict: { status: "failed" } })
    expect(run.error).toMatchObject({ error_type: "not_verified" })
    // The new test checks nothing and passes, but the original test fails.
    expect(run.error.message).toContain("With the original tests: npm test: 1 test failed")
    expect(made).toHaveLength(attempts)
    const kept = await server.call("GET", `/workspace/file?workspace_id=${run.workspace_id}&path=new.js`)
    expect(kept.body.content).toBe("kept")
  })

  it("ends with 6 on the command line where nothing shows that it is done", async () => {
    const repository = repositoryWith({ "README.md": "Only words.\n" })
    const { code, stdout, junit } = await switchyardVerifies({}, repository)
    expect(stdout).toContain("The project has no commands to check the work with.")
    expect(code).toBe(6)
    expect(junit).toContain('name="verdict" time="0.000"><skipped message="')
    expect((await switchyard(["run", "x", "--verify"], { url: server.url })).code).toBe(2)
  })
})
