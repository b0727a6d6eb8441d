import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { systemClock } from "@switchyard/core/time"
import { createDemoModel } from "@switchyard/functions/demo-model"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { heldModel, startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

let server: TestServer
beforeAll(async () => {
  // The demo model without its pauses.
  server = await startServer({ scripted: createDemoModel({ ...systemClock, sleep: async () => {} }) })
})
afterAll(() => server.close())

const cli = (...args: string[]) => switchyard(args, { url: server.url })

describe("a team, in a terminal", () => {
  it("is refused with the field that is wrong", async () => {
    const { code, stderr } = await cli("team", "A page about tea", "--at-once", "99")
    expect([code, stderr]).toEqual([2, expect.stringMatching(/request is not valid\. max_concurrent: Too big: .*4/)])
  })

  it("takes the programs of its workers along, and a repository with or without them", async () => {
    const alone = await cli("team", "Tea", "--verify")
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining("needs --agent")])
    const nowhere = await cli("team", "Tea", "--repository", server.folder)
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringMatching(/repository|git/i)])
    const nobody = await cli("team", "Tea", "--coordinator", "nobody")
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining("no account with this name")])
    const none = await cli("team", "Tea", "--agent", "mock", "nobody", "--repository", server.folder)
    expect([none.code, none.stderr]).toEqual([1, expect.stringMatching(/repository|git/i)])
  })

  it("takes commands along that workers may be, once it may run them", async () => {
    const nameless = await cli("team", "Tea", "--worker-command", "make tables")
    expect([nameless.code, nameless.stderr]).toEqual([2, expect.stringContaining("a name and a command")])
    const given = ["team", "Tea", "--detach", "--worker-command", "tables=A=1 make tables", "lists=make lists"]
    const asked = await cli(...given)
    expect([asked.code, asked.stderr]).toEqual([1, expect.stringMatching(/consent/)])
    const alone = await cli("team", "Tea", "--worker-network")
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining("need --worker-command")])
    const id = (await cli(...given, "--consent", "--worker-timeout", "60", "--worker-network")).stdout.trim()
    const { body } = await server.call("GET", `/api/v1/sessions/${id}/events?limit=50`)
    const started = body.events.find(({ type }: { type: string }) => type === "team_started")
    expect(started.commands.workers).toEqual([
      { name: "tables", command: "A=1 make tables", timeout_seconds: 60, network: true },
      { name: "lists", command: "make lists", timeout_seconds: 60, network: true },
    ])
  })

  it("is given a goal, shown at work, and its files are brought home", async () => {
    const out = join(server.folder, "..", "tea")
    const ended = await cli("team", "A page about tea", "--out", out, "--budget-tokens", "900000")
    expect(ended.code).toBe(0)
    for (const line of [
      /Ada joined the team/,
      /Node page started/,
      /Node page completed/,
      /Node review completed/,
      /Node review started/,
      /Team finished/,
    ]) {
      expect(ended.stdout).toMatch(line)
    }
    expect(await readFile(join(out, "index.html"), "utf8")).toContain("A page about tea")
    expect(ended.stdout).toMatch(/review +completed +Mia +Look at index\.html/)
    const [id = ""] = /[0-9a-f]{32}/.exec(ended.stdout) ?? []
    expect((await cli("budget", "--session", id)).stdout).toContain("900,000")
    const board = await cli("team", "status", id)
    expect(board.stdout).toMatch(
      /^[0-9a-f]{32} {2}completed {2}scripted\/demo {2}A page about tea\n {2}words +completed +Ada +words\.md is written\.\n/,
    )
    expect(JSON.parse((await cli("team", "status", id, "--json")).stdout)).toMatchObject({ team: { node_count: 5 } })
    expect((await cli("team", "list")).stdout).toContain(`${id}  completed  scripted/demo  A page about tea`)
    expect(await cli("team", "say", id, "Hello")).toMatchObject({ code: 1 })
  })

  it("is paused, written to and stopped", async () => {
    const held = heldModel()
    const own = await startServer({ scripted: held.provider })
    const ask = (...args: string[]) => switchyard(args, { url: own.url })
    try {
      const id = (await ask("team", "Tea", "--detach")).stdout.trim()
      expect((await ask("team", "pause", id)).stdout).toContain("paused")
      expect((await ask("team", "say", id, "Go on")).stdout).toContain("working")
      const made = await ask("team", "wake", id, "Look again", "--cron", "0 7 * * *", "--timezone", "Europe/Berlin")
      expect(made.stdout).toMatch(/^trg_\w+ {2}active {2}scheduled {2}\d{4}-.*Look again\n$/)
      const [trigger = ""] = made.stdout.split(" ")
      expect((await ask("team", "triggers", id)).stdout).toBe(made.stdout)
      expect((await ask("team", "wake", id, "Hook", "--webhook")).stdout).toMatch(/\n {2}POST \/hooks\/\S+\n$/)
      expect((await ask("team", "wake", id, "Never")).code).toBe(2)
      expect((await ask("team", "cancel-trigger", id, trigger)).stdout).toContain("cancelled")
      expect(await ask("team", "memory", id, "tea")).toMatchObject({ code: 0, stdout: "" })
      expect((await ask("team", "add-worker", id, "Mia", "Writes about tea")).code).toBe(0)
      const added = await ask("team", "add-node", id, "Write about matcha", "--id", "matcha")
      expect(added.stdout).toMatch(/matcha +pending +- +Write about matcha/)
      const second = await ask("team", "add-node", id, "Check it", "--id", "check", "--after", "matcha")
      expect(second.stdout).toMatch(/check +pending/)
      expect((await ask("team", "move", id, "check", "--before", "matcha")).stdout).toMatch(/check .*\n.*matcha /)
      expect((await ask("team", "move", id, "check")).stdout).toMatch(/matcha .*\n.*check /)
      const early = await ask("team", "assign", id, "check", "Mia")
      expect([early.code, early.stderr]).toEqual([1, expect.stringContaining("can't start before matcha")])
      expect((await ask("team", "assign", id, "matcha", "Mia")).stdout).toMatch(/matcha +(assigned|running) +Mia/)
      const whole = await ask("team", "retry", id, "matcha")
      expect([whole.code, whole.stderr]).toEqual([1, expect.stringContaining("only a failed node")])
      expect((await ask("team", "stop", id)).stdout).toContain("stopped")
    } finally {
      held.release()
      await own.close()
    }
  })
})
