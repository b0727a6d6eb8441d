import { existsSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterEach, describe, expect, it, vi } from "vitest"
import { makeRepository } from "../functions/agents/repository.ts"
import { startServer, type TestServer } from "../functions/server.ts"

let server: TestServer | undefined
afterEach(async () => {
  vi.unstubAllEnvs()
  await server?.close()
})

const project = {
  "package.json": `${JSON.stringify({ type: "module", scripts: { test: "node --test" } })}\n`,
  "sum.test.js": 'import { test } from "node:test"\nimport "./sum.js"\ntest("is there", () => {})\n',
}

describe("a runner that is killed while it checks what its agent is done with", () => {
  it("is replaced by one that checks it again, and asks the agent for nothing more", async () => {
    // The check and the test signal each other with files, which a sandbox would hide.
    vi.stubEnv("SWITCHYARD_AGENT_SANDBOX", "off")
    server = await startServer()
    const { call, folder } = server
    const { folder: repository } = makeRepository(join(dirname(folder), "theirs"), project)
    const [begun, go] = [join(dirname(folder), "begun"), join(dirname(folder), "go")]
    const test = `touch ${begun}; while ! test -e ${go}; do sleep 0.02; done; npm test`
    await call("PUT", "/api/v1/config/repositories", { json: { repositories: [{ repository, checks: { test } }] } })
    const user_prompt = `mock: ${JSON.stringify({ files: { "sum.js": "export {}\n" } })}`
    const asked = { kind: "agent", coding_agent: "mock", user_prompt, repository, verify: true, consent: true }
    const started = await call("POST", "/v1/runs", { json: asked })
    const { run_id, workspace_id } = started.body
    await expect.poll(() => existsSync(begun)).toBe(true)
    const eventsSoFar = async () =>
      (await call("GET", `/api/v1/sessions/${workspace_id}/events?limit=1000`)).body.events as {
        type: string
        executor?: string
      }[]
    const claim = (await eventsSoFar()).find(({ type }) => type === "runner_claimed")
    process.kill(Number(/^local-(\d+)-/.exec(claim?.executor ?? "")?.[1]), "SIGKILL")
    writeFileSync(go, "")

    expect(await server.ended(run_id)).toMatchObject({ status: "completed", verdict: { status: "passed" } })
    const types = (await eventsSoFar()).map(({ type }) => type)
    const count = (of: string) => types.filter((type) => type === of).length
    const counts = ["run_relaunched", "agent_turn_started", "user_message", "milestone"].map((of) => [of, count(of)])
    expect(counts).toEqual([
      ["run_relaunched", 1],
      ["agent_turn_started", 1],
      ["user_message", 1],
      ["milestone", 1],
    ])
    expect(count("verification_attempt")).toBe(1)
  })
})
