import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { switchyard } from "../cli/spawn.ts"
import { itDeep } from "../depth.ts"
import { makeRepository } from "./agents/repository.ts"
import { startServer, type TestServer } from "./server.ts"

const TEST = `import { test } from "node:test"

test("does nothing", () => {})
`
const project = {
  "package.json": `${JSON.stringify({ type: "module", scripts: { test: "node --test" } })}\n`,
  "a.test.js": TEST,
}

let server: TestServer
let made = 0
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** Starts a task that the mock agent both does and reviews, as `knobs` says. */
async function begin(knobs: object, asked: object = {}) {
  const { folder } = makeRepository(join(dirname(server.folder), `reviewed-${made++}`), project)
  const user_prompt = `Write it. mock: ${JSON.stringify({ files: { "one.js": "1\n" }, ...knobs })}`
  const json = { kind: "agent", coding_agent: "mock", verification_agent: "mock", user_prompt, consent: true }
  return server.call("POST", "/v1/runs", { json: { ...json, repository: folder, ...asked } })
}

async function reviewed(knobs: object, asked: object = {}) {
  const { body } = await begin(knobs, asked)
  const run = await server.ended(body.run_id)
  const { events } = (await server.call("GET", `/v1/runs/${run.run_id}/events?limit=1000`)).body
  const of = (type: string) => events.filter((event: { type: string }) => event.type === type)
  return { run, of }
}

describe("the review of a task's work", () => {
  it("sends findings back to the agent, and lets the work pass once there are none", async () => {
    const finding = { file: "one.js", line: 1, text: "It must be 2." }
    // The first reviewer tries to write, and gives its verdict only when asked again.
    const reviews = [{ passed: false, findings: [finding], writes: "one.js", first: "It looks odd." }, { passed: true }]
    const { run, of } = await reviewed({ later: [{ "one.js": "2\n" }], reviews })
    expect(run).toMatchObject({ status: "completed", verdict: { status: "passed" } })
    const [first, second] = of("verification_attempt")
    expect(first).toMatchObject({ passed: false, issues: ["one.js:1: It must be 2."], verdict: { status: "failed" } })
    expect(first.review).toMatchObject({ passed: false, findings: [finding], reviewer: { cli: "mock" } })
    expect(second).toMatchObject({ passed: true, review: { passed: true } })
    const [, told] = of("user_message")
    expect(told.content).toContain("another agent that reviewed it found:\n\n- one.js:1: It must be 2.")
    // The reviewer uses its own agent session, so its turns and messages aren't the agent's.
    expect(of("agent_turn_started")).toHaveLength(2)
    expect(of("review_started").map(({ commit }: { commit: string }) => commit)).toEqual([first.commit, second.commit])
    expect(of("review_finished")).toHaveLength(2)
    const { body: file } = await server.call("GET", `/workspace/file?workspace_id=${run.workspace_id}&path=one.js`)
    expect(file.content).toBe("2\n")
    const { body: evidence } = await server.call("GET", `/api/v1/sessions/${run.workspace_id}/worktree/evidence`)
    expect(evidence).toMatchObject({ state: "valid", reviewing: null, latest: { review: { passed: true } } })
    const shown = await switchyard(["evidence", run.workspace_id], { url: server.url })
    expect(shown.stdout).toContain("It does what the task says.")
  })

  itDeep("leaves work unverified where it can't be made", async () => {
    const fails = { status: 401, message: "The key is not valid." }
    const { run, of } = await reviewed({ reviews: [{ fails }] })
    expect(run).toMatchObject({ status: "failed", error: { error_type: "not_verified" } })
    expect(run.error.message).toContain("The work couldn't be reviewed.")
    expect(of("verification_attempt")[0]).toMatchObject({ passed: false, result: "not_possible" })
  })

  itDeep("is made by the next account where the reviewer's has met its limit, and else lets nothing pass", async () => {
    for (const [name, model] of [
      ["first", "small"],
      ["second", "large"],
    ]) {
      await server.call("POST", "/api/v1/accounts", { json: { name, provider: "mock", model } })
    }
    const order = (names: string[]) =>
      server.call("PUT", "/api/v1/config/provider-fallback-order", { json: { order: names } })
    const limit = { models: ["small"], until: "2020-01-01T00:00:00.000Z" }
    await order(["first", "second"])
    const handed = await reviewed({ limit }, { verification_agent: "first" })
    await order([])
    const alone = await reviewed({ limit }, { verification_agent: "first" })
    expect(handed.run).toMatchObject({ status: "completed", verdict: { status: "passed" } })
    const [{ review: met }, { review }] = handed.of("review_finished")
    expect([met.passed, met.reviewer.account, review.passed, review.reviewer.account]).toEqual([
      null,
      "first",
      true,
      "second",
    ])
    expect(alone.run).toMatchObject({ status: "failed", verdict: { status: "not_run" } })
    expect(alone.run.error.message).toContain(
      "The work couldn't be reviewed. The reviewer's account has reached its limit",
    )
    expect(alone.of("verification_attempt")).toMatchObject([{ result: "not_possible", review: { passed: null } }])
  })

  it("isn't begun with a reviewer that isn't there", async () => {
    const { status, body } = await begin({}, { verification_agent: "nobody" })
    expect([status, body.error.code]).toEqual([400, "task_invalid"])
  })
})
