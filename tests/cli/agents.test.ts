import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../depth.ts"
import { openSession } from "../functions/agents/worktree-session.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const cli = (...args: string[]) => switchyard(args, { url: server.url })
const told = (knobs: object) => `Do it. mock: ${JSON.stringify({ summary: false, files: {}, ...knobs })}`

describe("the agents of a session, in a terminal", () => {
  it("are listed, added, talked to and closed", async () => {
    const { id } = await openSession(server)
    expect((await cli("agents", id)).stdout).toMatch(/^main +idle +- {2}worktree main\n$/)
    const added = await cli("agents", id, "--add", "helper", "--agent", "mock", "--mode", "bypass")
    expect(added.stdout).toMatch(/^main .*\nhelper +idle +mock {2}worktree helper {2}\(agt_\w+\)\n$/)
    expect(await cli("ask", id, "helper", told({ say: "Here I am." }))).toMatchObject({
      code: 0,
      stdout: "Here I am.\n",
    })
    const answer = JSON.parse((await cli("--json", "ask", id, "helper", told({ say: "Again." }))).stdout)
    expect(answer).toMatchObject({ status: "idle", text: "Again." })
    expect(await cli("say", id, "helper", told({ hangs: true }))).toMatchObject({ code: 0, stdout: "" })
    const queued = await cli("say", id, "helper", "And then?")
    expect(queued.stderr).toContain("1 message waiting for the agent, including this one.")
    expect((await cli("agents", id)).stdout).toContain("  1 message waiting.")
    const { agents } = JSON.parse((await cli("agents", id, "--close", "helper", "--json")).stdout)
    expect(agents).toMatchObject([{ name: "main" }])
  })

  it("say that they wait for an answer, where they are asked", async () => {
    const { id } = await openSession(server)
    await cli("agents", id, "--add", "careful", "--agent", "mock")
    const asking = cli("ask", id, "careful", told({ commands: ["true"], say: "May I?" }))
    const { questions } = (await server.call("GET", "/api/v1/questions?wait=50")).body
    await cli("answer", questions[0].question_id, "deny")
    expect(await asking).toMatchObject({ code: 0, stdout: expect.stringContaining("I was told") })
  })

  itDeep("take no message that says nothing, and no settings without a name", async () => {
    const { id } = await openSession(server)
    expect(await cli("say", id, "main", " ")).toMatchObject({ code: 2 })
    expect(await cli("agents", id, "--agent", "mock")).toMatchObject({ code: 2 })
    expect(await cli("agents", id, "--add", "x")).toMatchObject({ code: 2 })
    expect(await cli("agents", id, "--add", "main", "--agent", "mock")).toMatchObject({ code: 2 })
    expect(await cli("say", id, "nobody", "Hello")).toMatchObject({ code: 1 })
  })
})
