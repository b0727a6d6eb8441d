import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { UsageTotal } from "@switchyard/core/people/usage/schema"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { usageTable } from "../../packages/cli/src/commands/usage-table.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { WAIT_MS } from "../settings.ts"
import { switchyard } from "./spawn.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  expect(await server.run({ user_prompt: "A to-do list" })).toMatchObject({ status: "completed" })
  // Usage counts a run only after its final event.
  const groups = async () => (await server.call("GET", "/api/v1/usage")).body.groups
  await vi.waitFor(async () => expect(await groups()).toHaveLength(1), { timeout: WAIT_MS })
})
afterAll(() => server.close())

const usage = (...args: string[]) => switchyard(["usage", ...args], { url: server.url })

describe("switchyard usage", () => {
  it("shows what runs used, by names, and what is unknown as that", async () => {
    const { code, stdout, stderr } = await usage("--by", "provider,kind")
    expect([code, stderr]).toEqual([0, expect.stringContaining("based on list prices as of ")])
    expect(stdout.split("\n").map((line) => line.split(/ +/))).toEqual([
      ["provider", "kind", "input", "cache", "read", "cache", "write", "output", "cost"],
      ["scripted", "workflow", "-", "-", "-", "-", "$0.00"],
      ["total", "-", "-", "-", "-", "$0.00"],
      [""],
    ])
  })

  it("prints the same as comma-separated values, and whole as JSON", async () => {
    const [csv, json] = await Promise.all([usage("--by", "provider", "--csv"), usage("--by", "provider", "--json")])
    expect(csv.stdout).toMatch(/^provider,input,.*\nscripted,,,,,0,0,0,true,\d+,\d+,0,0,0\n$/)
    expect(JSON.parse(json.stdout)).toMatchObject({ groups: [{ provider: "scripted", cost_usd: 0 }] })
  })

  it.each([
    [["--by", "colour"], "It must be a list of one or more of day, account"],
    [["--from", "2025-02-30"], "This day doesn't exist."],
  ])("says why it can't: %j", async (args, message) => {
    const { code, stdout, stderr } = await usage(...args)
    expect([code, stdout]).toEqual([2, ""])
    expect(stderr).toContain(message)
  })
})

describe("switchyard budget", () => {
  const budget = (...args: string[]) => switchyard(["budget", ...args], { url: server.url })

  it("shows the limits, sets those that are named, and takes them away", async () => {
    expect((await budget()).stdout).toBe("No budget is set.\n")
    const set = await budget("--day", "2.5", "--month-tokens", "0")
    expect(set.stdout.split("\n")).toEqual([
      "$2.50 a day: $0.00 used",
      "0 tokens a month: 0 used",
      expect.stringMatching(/^Nothing can start before \d{4}-\d{2}-01T00:00:00.000Z unless you raise the budget.$/),
      "",
    ])
    const refused = await switchyard(["run", "A to-do list"], { url: server.url })
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("Your budget of 0 tokens a month is used up."),
    ])
    expect((await budget("--month-tokens", "none")).stdout).toBe("$2.50 a day: $0.00 used\n")
    const others = await Promise.all([
      switchyard(["owners"], { url: server.url }),
      budget("--owner", "ada", "--day", "1"),
    ])
    expect(others.map(({ stdout }) => stdout)).toEqual([
      "local:\n  This month: $0.00, 0 tokens.\n  $2.50 a day: $0.00 used\n",
      "$1.00 a day: $0.00 used\n",
    ])
  })

  it("shows and sets what a session may use in all", async () => {
    const { id } = (await server.call("POST", "/api/v1/sessions", { json: {} })).body
    const ofSession = (...args: string[]) => budget("--session", id, ...args)
    expect((await ofSession("--usd", "5", "--tokens", "100000")).stdout).toMatch(
      /^\$5\.00 or 100,000 tokens: .* used, in 0 minutes of work\n$/,
    )
    expect((await ofSession("--usd", "none", "--tokens", "0")).stdout).toMatch(
      /^0 tokens: .* used, in 0 minutes of work\nThe budget is used up: /,
    )
    expect((await ofSession("--tokens", "none")).stdout).toMatch(/^No budget: /)
    const { code, stderr } = await ofSession("--day", "5")
    expect([code, stderr]).toEqual([2, expect.stringContaining("can't have a period")])
  })

  it.each(["-1", "much", ""])("takes no %j for an amount", async (amount) => {
    const { code, stderr } = await budget(`--day=${amount}`)
    expect([code, stderr]).toEqual([2, expect.stringContaining("A budget must be a non-negative number")])
  })
})

describe("the table of usage", () => {
  const none = { reports: 1, unreported: 0, searches: 0, estimated_input: 0, machine_seconds: 0, machine_usd: 0 }
  const cached = { cache_read: 880_413, cache_write: 12_006 }
  const demo: UsageTotal = {
    ...{ ...none, tokens: { input: 1204, cache_read: null, cache_write: null, output: null } },
    ...{ estimated_output: 2100, cost_usd: null, cost_is_complete: false },
  }
  const work: UsageTotal = {
    ...{ ...none, tokens: { input: 41_200, ...cached, output: 9340 } },
    ...{ estimated_output: 0, cost_usd: 0.571, cost_is_complete: true },
  }
  const total = { ...work, tokens: { input: 42_404, ...cached, output: 9340 } }

  it("marks estimates and what is known in part, as its description shows", () => {
    const groups = [
      { account: null, ...demo },
      { account: "work", ...work },
    ]
    const lines = usageTable({ groups, total: { ...total, estimated_output: 2100, cost_is_complete: false } }, [
      "account",
    ])
    const described = readFileSync(join(import.meta.dirname, "../../docs/usage.md"), "utf8")
    expect(described).toContain(`\n${lines.join("\n")}\n`)
  })

  it("has a column for machines where any have a price", () => {
    const deployed = { ...work, machine_seconds: 3600, machine_usd: 0.0586 }
    const brief = { ...work, machine_seconds: 20, machine_usd: 0.0003 }
    const groups = [
      { run: "a", ...deployed },
      { run: "b", ...brief },
      { run: "c", ...work },
    ]
    const lines = usageTable({ groups, total: { ...deployed, machine_usd: 0.0589 } }, ["run"])
    const last = lines.map((line) => line.split(/ {2,}/).at(-1))
    expect(last).toEqual(["machines", "$0.06", "under $0.01", "-", "$0.06"])
  })
})
