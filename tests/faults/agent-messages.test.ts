import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openSession } from "../functions/agents/worktree-session.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { cases } from "../settings.ts"
import { killRunner } from "./kill-runner.ts"
import { seeded } from "./random.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const AGENTS = ["one", "two", "three"]
const MESSAGES = 9

/** Returns everything that an agent's program received in these sessions, according to the program's own records. */
async function heard(nativeSessions: string[]): Promise<string> {
  const files = await Array.fromAsync(glob(join(server.folder, "homes", "**", ".mock", "*.json")))
  const own = files.filter((file) => nativeSessions.some((id) => file.includes(id)))
  return own.map((file) => readFileSync(file, "utf8")).join("\n")
}

describe("messages to agents whose runner is killed", () => {
  it.each(Array.from({ length: cases({ usual: 1, deep: 20 }) }, (_, seed) => seed))(
    "reach the agent that they are for, once, and no other (seed %i)",
    async (seed) => {
      const random = seeded(seed)
      const session = await openSession(server)
      const path = `/api/v1/sessions/${session.id}/agents`
      for (const name of AGENTS) {
        const json = { name, coding_agent: "mock", mode: "bypass" }
        expect((await server.call("POST", path, { json })).status).toBe(201)
      }
      const sent = new Map<string, string>()
      // At most two runners die. Two that die in a row are still replaced at once.
      const kills = new Set([random.between(0, MESSAGES - 1), random.between(0, MESSAGES - 1)])
      for (let count = 0; count < MESSAGES; count++) {
        const name = random.pick(AGENTS)
        const id = `message-${seed}-${count}`
        const knobs = { duration_ms: random.between(0, 150), summary: false, files: {} }
        const json = { content: `This is ${id}. mock: ${JSON.stringify(knobs)}`, message_id: id }
        expect((await server.call("POST", `${path}/${name}/messages`, { json })).status).toBe(202)
        sent.set(id, name)
        const enough = (await session.events()).length + random.between(0, 12)
        if (!kills.has(count)) continue
        await expect
          .poll(async () => (await session.events()).length >= enough || (await isIdle()), { interval: 5 })
          .toBe(true)
        await killRunner(server, session.id)
      }
      for (const name of AGENTS) await untilIdle(name)

      const events = await session.events()
      const { body } = await server.call("GET", path)
      const idOf = (name: string) => body.agents.find((agent: { name: string }) => agent.name === name).agent_id
      const delivered = events.filter(({ type }) => type === "agent_message_delivered")
      const ids = delivered.flatMap(({ message_ids }) => message_ids as string[])
      expect([...ids].sort()).toEqual([...sent.keys()].sort())
      for (const { agent_id, message_ids, run_id } of delivered) {
        for (const id of message_ids as string[]) expect(agent_id).toBe(idOf(sent.get(id) ?? ""))
        expect(events.filter((event) => event.run_id === run_id && event.type === "run_completed")).toHaveLength(1)
      }
      for (const name of AGENTS) {
        const own = events.filter(({ type, agent_id }) => type === "agent_session_opened" && agent_id === idOf(name))
        const text = await heard(own.map(({ native_session_id }) => String(native_session_id)))
        for (const [id, to] of sent) expect(text.includes(`This is ${id}.`), `${id} at ${name}`).toBe(to === name)
      }
      expect(server.reported).toEqual([])

      async function isIdle(): Promise<boolean> {
        const { agents } = (await server.call("GET", path)).body
        return agents.every(({ status }: { status: string }) => status === "idle")
      }
      async function untilIdle(name: string): Promise<void> {
        while ((await server.call("GET", `${path}/${name}/wait?seconds=50`)).status === 202);
      }
    },
  )
})
