import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openTeam } from "../functions/agents/team.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { cases } from "../settings.ts"
import { killRunner } from "./kill-runner.ts"
import { seeded } from "./random.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const WORKTREES = ["one", "two", "three"]
/** About the number of events of a merge train of three. */
const EVENTS = 40

describe("a merge train whose runner is killed", () => {
  it.each(Array.from({ length: cases({ usual: 1, deep: 20 }) }, (_, seed) => seed))(
    "goes on, and merges each worktree once (seed %i)",
    async (seed) => {
      const random = seeded(seed)
      const team = await openTeam(server, join(dirname(server.folder), `train-${seed}`), { "README.md": "Mine.\n" })
      await Promise.all(WORKTREES.map((name) => team.work(name, { files: { [`${name}.txt`]: "x\n" } })))
      const before = (await team.session.events()).length
      const json = { worktrees: WORKTREES, delete_worktrees: random.pick([true, false]) }
      const { body } = await server.call("POST", `${team.path}/merge-trains`, { json })
      const at = before + random.between(0, EVENTS)
      const status = async () => (await server.call("GET", `/v1/runs/${body.run_id}`)).body.status
      await expect
        .poll(async () => (await team.session.events()).length >= at || (await status()) !== "running", { interval: 5 })
        .toBe(true)
      await killRunner(server, team.session.id)
      const run = await server.ended(body.run_id)

      const { steps } = (await server.call("GET", `${team.path}/merge-trains/${body.run_id}`)).body
      const merged = steps.filter((step: { status: string }) => step.status === "merged")
      const [, ...begun] = team.subjects().toReversed()
      expect(begun).toHaveLength(merged.length)
      expect(run.status).toBe("completed")
      expect(merged.map(({ worktree }: { worktree: string }) => worktree)).toEqual(WORKTREES)
      const files = team.repository.git("ls-tree", "--name-only", "main").trim().split("\n")
      expect(files).toHaveLength(1 + merged.length)
      expect(team.repository.git("status", "--porcelain").trim()).toBe("")
      expect(server.reported).toEqual([])
      // Free the runner's place, because a server's places are limited.
      await server.call("DELETE", team.path)
    },
  )
})
