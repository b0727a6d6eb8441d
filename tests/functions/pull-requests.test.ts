import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { sessionKey } from "@switchyard/core/ids"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { switchyard } from "../cli/spawn.ts"
import { itDeep } from "../depth.ts"
import { type ForgeServer, serveForge } from "../fixtures/forge-server.ts"
import { serveGit } from "../fixtures/git-server.ts"
import { never as signal, someOf } from "../settings.ts"
import { makeRepository } from "./agents/repository.ts"
import { openSession } from "./agents/worktree-session.ts"
import { startServer, type TestServer } from "./server.ts"

const TOKEN = "t0ken-0f-the-forge"
const KINDS = ["github", "gitlab", "gitea"] as const
const API = { github: "/api/v3", gitlab: "/api/v4", gitea: "/api/v1" }
const USER = { github: "x-access-token", gitlab: "oauth2", gitea: "oauth2" }

let server: TestServer
let served: string
beforeAll(async () => {
  server = await startServer()
  served = join(dirname(server.folder), "served", "ada")
  mkdirSync(served, { recursive: true })
})
afterAll(() => server.close())

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]()
})

/** Opens a session with a finished task in a repository on a host of this kind. */
async function arrange(kind: (typeof KINDS)[number], name: string, files?: Record<string, string>) {
  const folder = join(dirname(served), name, "ada", "x.git")
  mkdirSync(dirname(folder), { recursive: true })
  const source = makeRepository(join(dirname(server.folder), name), files)
  execFileSync("git", ["clone", "--bare", "--quiet", source.folder, folder])
  const git = await serveGit(join(dirname(served), name), { username: USER[kind], password: TOKEN })
  const forge = await serveForge(kind, { token: TOKEN, repository: folder })
  opened.push(git, forge)
  const json = { token: TOKEN, kind, scheme: "http", api_url: `${forge.url}${API[kind]}` }
  await server.call("PUT", `/api/v1/git-hosts/${encodeURIComponent(git.host)}`, { json })
  const session = await openSession(server, `http://${git.host}/ada/x.git`)
  const request = (body = {}) =>
    server.call("POST", `/api/v1/sessions/${session.id}/worktree/pull-request`, { json: body })
  /** Gives the mock agent a verified task and waits for its end. */
  const verified = async (knobs: object) => {
    const task_description = `Mend it. mock: ${JSON.stringify(knobs)}`
    const task = { coding_agent: "mock", task_description, verify: true, verification_attempts: 1, consent: true }
    const { body } = await server.call("POST", `/api/v1/sessions/${session.id}/tasks`, { json: task })
    return server.ended(body.task_id)
  }
  return { session, forge, request, verified, at: (ref: string) => revision(folder, ref) }
}

function revision(cwd: string, ref: string): string {
  return execFileSync("git", ["rev-parse", ref], { cwd, encoding: "utf8" }).trim()
}

/** Adds the end of a check of this commit to the session's log, as the gate does. */
async function check(id: string, commit: string, passed: boolean): Promise<void> {
  const { executor } = server.core()
  const log = await openSessionLog(executor, sessionKey("local", id), { signal })
  const run_id = Object.keys(log.state.runs.byId)[0] ?? ""
  const result = { name: "test" as const, command: "npm test", passed, exit_code: passed ? 0 : 1, duration_ms: 5 }
  const tests = { passed: 12, failed: passed ? 0 : 1, skipped: 0 }
  const event = { type: "check_finished" as const, run_id, agent_id: "checks", commit, output: "", ...result, tests }
  await log.decide(() => [event], { signal })
}

const bodyOf = ({ pulls }: ForgeServer) => pulls[0]?.body ?? ""

it.each(someOf(KINDS, 1))(
  "is opened once on %s, with the task and what was checked, and then brought up to date",
  async (kind) => {
    const { session, forge, request, at } = await arrange(kind, `source-${kind}`)
    expect(await session.task({ files: { "a.txt": "a\n" } })).toMatchObject({ status: "completed" })
    // The host creates the pull request, but its reply is lost.
    forge.loseNextReply()
    expect((await request({ title: "Add a" })).status).toBe(422)
    const first = await request({ title: "Add a" })
    expect(first).toMatchObject({
      status: 200,
      body: { number: 1, title: "Add a", base: "main", created: false, status: null },
    })
    expect(forge.pulls).toHaveLength(1)
    const { head, commit } = first.body
    expect(at(head)).toBe(commit)
    expect(bodyOf(forge)).toMatch(/### Task\n\n> Do it\.[\s\S]*### Checks[\s\S]*No checks were run on this commit\./)
    expect(forge.statuses).toEqual([])

    // Text that people add remains, and the body lists the results of this commit's checks.
    forge.pulls[0] = {
      ...forge.pulls[0],
      body: `${bodyOf(forge)}\n\nReviewed by hand.`,
    } as (typeof forge.pulls)[number]
    await check(session.id, commit, true)
    await check(session.id, "0".repeat(40), false)
    const [second, third] = await Promise.all([request(), request()])
    expect([second.body, third.body]).toMatchObject(Array(2).fill({ number: 1, created: false, status: "success" }))
    expect(forge.pulls).toHaveLength(1)
    expect(bodyOf(forge)).toContain("| npm test | passed | 0 | 12 tests passed |")
    expect(bodyOf(forge)).toMatch(/Reviewed by hand\.$/)
    expect(forge.statuses[0]).toMatchObject({ commit, state: "success", context: "switchyard" })

    // Another commit has no evidence yet. This part needs an agent and doesn't depend on the host, so one host is
    // enough.
    if (kind !== "github") return
    await session.task({ files: { "b.txt": "b\n" } })
    const later = await request()
    expect(later.body).toMatchObject({ number: 1, created: false, status: null })
    expect(later.body.commit).not.toBe(commit)
    expect(bodyOf(forge)).toContain("No checks were run on this commit.")
    const events = (await session.events()).filter(({ type }) => type === "pull_request_opened")
    expect(events.at(-1)).toMatchObject({ pull_request: later.body })
    expect(JSON.stringify(events)).not.toContain(TOKEN)
    // A token without permission for statuses still opens the pull request, and the session records it.
    forge.refuses.statuses = true
    await check(session.id, later.body.commit, true)
    expect((await request()).body.error.message).toContain("commit statuses")
    const known = (await session.events()).filter(({ type }) => type === "pull_request_opened")
    expect(known).toHaveLength(events.length + 1)
    expect(known.at(-1)).toMatchObject({ pull_request: { number: 1, commit: later.body.commit, status: null } })
    delete forge.refuses.statuses
    const typed = await switchyard(["pr", session.id], { url: server.url })
    expect(typed).toMatchObject({ code: 0, stdout: `${later.body.url}\n` })
    expect(typed.stderr).toContain("Pull request 1 was updated; its checks passed.")
  },
)

const TEST = `require("node:test").test("adds", () => require("node:assert").equal(require("./sum.js"), 3))\n`

itDeep("has the verdict of a verification, also where it rejects work whose own checks pass", async () => {
  const manifest = `${JSON.stringify({ scripts: { test: "node --test" } })}\n`
  const files = { "package.json": manifest, "sum.js": "module.exports = 2\n", "sum.test.js": TEST }
  const { forge, request, verified } = await arrange("github", "source-verified", files)
  // The agent empties the test that would fail.
  expect(await verified({ files: { "sum.test.js": "" } })).toMatchObject({ status: "failed" })
  expect((await request({ title: "Mend it" })).body.status).toBe("failure")
  expect(bodyOf(forge)).toContain("The work was not accepted:")
  expect(await verified({ files: { "sum.test.js": TEST, "sum.js": "module.exports = 3\n" } })).toMatchObject({
    status: "completed",
  })
  expect((await request()).body.status).toBe("success")
  expect(bodyOf(forge)).toContain("| npm test | passed | 0 | 1 test passed |")
  expect(forge.statuses.map(({ state }) => state)).toEqual(["failure", "success"])
})

it("isn't opened for a repository without a token, nor without work", async () => {
  const { id } = await openSession(server)
  const none = await server.call("POST", `/api/v1/sessions/${id}/worktree/pull-request`, { json: {} })
  expect([none.status, none.body.error.code]).toEqual([422, "repository_error"])
})
