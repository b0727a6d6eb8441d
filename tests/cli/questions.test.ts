import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../depth.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const cli = (...args: string[]) => switchyard(args, { url: server.url })

/** Resolves to the id of the first open question, once there is one. */
async function asked(): Promise<string> {
  return (await server.call("GET", "/api/v1/questions?wait=50")).body.questions[0].question_id
}

const agent = (knobs: object) => cli("run", `mock: ${JSON.stringify(knobs)}`, "--agent", "mock", "--mode", "ask")

describe("what an agent asks, in a terminal", () => {
  it("is told where the run is watched, listed with the change, and answered", async () => {
    const running = agent({ files: { "a.txt": "one\n" } })
    const id = await asked()
    const listed = await cli("questions")
    const rule = "    With --session: write, all files of the worktree, except protected ones\n"
    expect(listed.stdout).toMatch(new RegExp(`^${id}  May I write a\\.txt\\?  \\([\\w-]+\\)\\n    \\+one\\n${rule}$`))
    expect(JSON.parse((await cli("questions", "--json")).stdout).questions[0].question_id).toBe(id)
    expect(await cli("answer", id, "allow")).toMatchObject({ code: 0 })
    const { code, stdout } = await running
    expect(code).toBe(0)
    expect(stdout).toMatch(/agent +May I write a\.txt\?/)
    expect(stdout).toMatch(/you +Allowed/)
    expect((await cli("questions")).stdout).toBe("")
  })

  it("can be denied with what to do instead", async () => {
    const running = agent({ commands: ["true"], files: {} })
    const id = await asked()
    expect(await cli("answer", id, "deny", "--text", "Use make.")).toMatchObject({ code: 0 })
    expect((await running).stdout).toMatch(/you +Denied: Use make\./)
  })

  itDeep("takes no answer that means nothing, and waits on", async () => {
    const running = agent({ commands: ["true"], files: {} })
    const id = await asked()
    const wrong = [
      [id, "perhaps"],
      [id, "allow", "--text", "x"],
      [id, "deny", "--session"],
      [id, "allow", "--session", "--edits"],
      ["que_none", "allow"],
    ]
    for (const args of wrong) expect(await cli("answer", ...args)).toMatchObject({ code: 2, stdout: "" })
    expect(await asked()).toBe(id)
    await cli("answer", id, "deny")
    expect((await running).code).toBe(0)
  })

  it("is for agents alone", async () => {
    expect(await cli("run", "Build it.", "--mode", "ask")).toMatchObject({ code: 2 })
    expect(await cli("run", "Do it.", "--agent", "mock", "--mode", "perhaps")).toMatchObject({ code: 2 })
  })
})
