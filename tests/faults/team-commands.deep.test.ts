import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { planModel, type TeamPlan } from "../functions/agents/team-plan.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { cases } from "../settings.ts"
import { killRunner } from "./kill-runner.ts"
import { seeded, turns } from "./random.ts"

const plan: TeamPlan = {
  workers: [{ name: "Ada", type: "maker" }],
  nodes: [{ id: "one", worker: "Ada", deps: [], task: "Make one.txt" }],
}

let server: TestServer
beforeAll(async () => {
  server = await startServer({ scripted: planModel(() => plan) })
})
afterAll(() => server.close())

/** The runner is killed at this event of a command, or soon after. */
const INSTANTS = ["runner_claimed", "shell_command_started", "shell_command_finished"]

describe("a worker that is a command, whose runner is killed", () => {
  it.each(Array.from({ length: cases({ usual: 1, deep: 12 }) }, (_, seed) => seed))(
    "has run once, or its node says that this isn't known (seed %i)",
    async (seed) => {
      const random = seeded(seed)
      const at = random.pick(INSTANTS)
      const ran = join(dirname(server.folder), `ran-${seed}`)
      writeFileSync(ran, "")
      const command = `echo ran >> ${ran}; sleep 0.2; echo made | tee one.txt`
      const worker_commands = [{ name: "maker", command, timeout_seconds: 60 }]
      const { body: team } = await server.call("POST", "/api/v1/teams", {
        json: { goal: "One", consent: true, worker_commands },
      })
      const events = async () => {
        const { body } = await server.call("GET", `/api/v1/sessions/${team.id}/events?limit=1000`)
        return body.events as { type: string; reason: string; ending: string }[]
      }
      const count = async (type: string) => (await events()).filter((event) => event.type === type).length
      await expect.poll(() => count(at), { interval: 5 }).toBeGreaterThan(0)
      await turns(random.between(0, 30))
      await killRunner(server, team.id)
      const node = async () => (await server.call("GET", `/api/v1/teams/${team.id}/board/one`)).body
      await expect.poll(async () => (await node()).status).toMatch(/completed|failed/)
      const times = readFileSync(ran, "utf8").split("\n").length - 1
      const { status, result, published_files } = await node()
      expect(times).toBeLessThanOrEqual(1)
      expect(await count("shell_command_started")).toBe(1)
      if (status === "failed") expect(result).toContain("was interrupted and may or may not have run")
      else expect([times, published_files]).toEqual([1, expect.arrayContaining(["one.txt"])])
      expect(await count("work_node_completed")).toBe(status === "completed" ? 1 : 0)
      expect(server.reported).toEqual([])
      await server.call("DELETE", `/api/v1/sessions/${team.id}`)
    },
  )
})
