import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../../depth.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const quiet = { summary: false, files: {} }

interface Call {
  name: string
  args?: Record<string, unknown>
}

/** Opens a session with main and these agents, all of them mock agents. */
async function openTeam(names: string[]) {
  const session = await openSession(server)
  const path = `/api/v1/sessions/${session.id}/agents`
  for (const name of ["main", ...names]) {
    const json = { coding_agent: "mock", mode: "bypass", consent: true }
    const isMain = name === "main"
    const asked = isMain
      ? server.call("PATCH", `${path}/main`, { json })
      : server.call("POST", path, { json: { name, ...json } })
    expect((await asked).status).toBeLessThan(300)
  }
  return {
    session,
    /** Has an agent call tools and resolves to the agent's last message. */
    async calls(agent: string, tools: Call[], knobs: object = {}): Promise<string> {
      await this.say(agent, { tools, say: "", ...knobs })
      return this.lastWords(agent)
    },
    async say(agent: string, knobs: object): Promise<void> {
      const json = { content: `Do it. mock: ${JSON.stringify({ ...quiet, ...knobs })}` }
      expect((await server.call("POST", `${path}/${agent}/messages`, { json })).status).toBe(202)
    },
    async lastWords(agent: string): Promise<string> {
      for (;;) {
        const { status, body } = await server.call("GET", `${path}/${agent}/wait?seconds=50`)
        if (status === 200) return body.text
      }
    },
    async agents() {
      return (await server.call("GET", path)).body.agents
    },
  }
}

describe("an agent with tools", () => {
  it("knows who it is and who else is there, and tells another, which begins a turn with that", async () => {
    const team = await openTeam(["helper"])
    expect(await team.calls("main", [{ name: "whoami" }])).toContain('"name":"main"')
    const list = await team.calls("main", [{ name: "list_agents" }])
    expect(list).toMatch(/"name":"main".*"you":true.*"works_on":"Do it.*"name":"helper".*"status":"idle"/)
    const message = `Say it. mock: ${JSON.stringify({ ...quiet, say: "I heard main." })}`
    expect(await team.calls("main", [{ name: "tell_agent", args: { name: "helper", message } }])).toContain("delivered")
    await expect.poll(() => team.lastWords("helper")).toBe("I heard main.")
    const events = await team.session.events()
    expect(events.find(({ type, agent_id }) => type === "user_message" && agent_id !== "main")).toMatchObject({
      source: "agent:main",
    })
    expect(server.reported).toEqual([])
  })

  it("asks another, and gets its last words as the answer, or a message that it sends", async () => {
    const team = await openTeam(["helper"])
    const prompt = `Say it. mock: ${JSON.stringify({ ...quiet, say: "It is 42." })}`
    const asked = await team.calls("main", [{ name: "ask_agent", args: { name: "helper", prompt } }])
    expect(asked).toContain('{"name":"helper","result":"answered","text":"It is 42."}')
    const tells = [{ name: "tell_agent", args: { name: "main", message: "No." } }]
    const told = `Tell it. mock: ${JSON.stringify({ ...quiet, tools: tells })}`
    const answer = await team.calls("main", [{ name: "ask_agent", args: { name: "helper", prompt: told } }])
    expect(answer).toContain('{"name":"helper","result":"answered","text":"No."}')
    expect(await team.lastWords("helper")).toContain('"result":"answered"')
    expect(server.reported).toEqual([])
  })

  itDeep(
    "is told of an agent that it can't wait for, which answers by a message when it has had its turn",
    async () => {
      const team = await openTeam([])
      const prompt = `Say it. mock: ${JSON.stringify({ ...quiet, say: "It is 43." })}`
      const said = await team.calls("main", [
        { name: "spawn_agent", args: { name: "later" } },
        { name: "ask_agent", args: { name: "later", prompt } },
      ])
      expect(said).toContain('"result":"working"')
      const isAnswer = ({ type, agent_id }: { type: string; agent_id?: unknown }) =>
        type === "user_message" && agent_id === "main"
      await expect
        .poll(async () => (await team.session.events()).filter(isAnswer).at(-1))
        .toMatchObject({ source: "agent:later", content: "The answer to what you asked:\n\nIt is 43." })
      await team.lastWords("main")
      expect(server.reported).toEqual([])
    },
  )

  it("starts agents with worktrees of their own, interrupts one, and closes it", async () => {
    const team = await openTeam([])
    const prompt = `Go on. mock: ${JSON.stringify({ ...quiet, hangs: true })}`
    await team.calls("main", [{ name: "spawn_worktree", args: { name: "builder", prompt } }])
    const builder = async () => (await team.agents()).find(({ name }: { name: string }) => name === "builder")
    await expect.poll(async () => (await builder()).status).toBe("busy")
    expect(await builder()).toMatchObject({ worktree: "builder", mode: "bypass", cli: "mock", parent: "main" })
    const next = `Say it. mock: ${JSON.stringify({ ...quiet, say: "I was interrupted." })}`
    await team.calls("main", [{ name: "interrupt_agent", args: { name: "builder", prompt: next } }])
    await expect.poll(() => team.lastWords("builder")).toBe("I was interrupted.")
    await team.calls("main", [{ name: "close_agent", args: { name: "builder" } }])
    expect(await builder()).toBeUndefined()
    const refused = await team.calls("main", [
      { name: "spawn_worktree", args: { name: "../etc" } },
      { name: "spawn_worktree", args: { name: "-x" } },
      { name: "close_agent", args: { name: "main" } },
    ])
    expect(refused).toContain("That agent is you.")
    expect((await team.agents()).map(({ name }: { name: string }) => name)).toEqual(["main"])
    expect(server.reported).toEqual([])
  })
})
