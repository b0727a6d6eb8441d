import { estimateText } from "@switchyard/core/people/usage/amounts"
import { estimateBuild } from "@switchyard/core/people/usage/estimate"
import type { LedgerEntry } from "@switchyard/core/work/usage/schema"
import { describe, expect, it } from "vitest"
import { never } from "../../settings.ts"

const NOW = Date.parse("2026-11-30T12:00:00Z")
const SONNET = { provider: "anthropic", model: "claude-sonnet-5" }

/** Returns the ledger entry of a run. `input` is in thousands of tokens. */
function entry(run: string, input: number, about: Partial<LedgerEntry> & { provider?: string } = {}): LedgerEntry {
  const { provider = "groq", ...rest } = about
  const row = {
    ...{ day: "2026-11-29", account: null, provider, model: "some-model", reports: 1, unreported: 0, searches: 0 },
    tokens: { input: input * 1000, cache_read: null, cache_write: null, output: 0 },
    ...{ estimated: { input: 0, output: 0 }, reported_cost: null, machine: { container_ms: 0, function_ms: 0 } },
  }
  const ids = { run_id: run, session_id: "s", agent_id: "main", repository: null }
  return { ...ids, kind: "workflow", seq: 1, rows: [row], ...rest }
}

async function estimate(entries: LedgerEntry[], model = SONNET) {
  const asked: unknown[] = []
  const ledger = {
    async *read(owner: string, days: { from: string; to: string }) {
      asked.push(owner, days)
      yield* entries
    },
  }
  const deps = { ledger, clock: { now: () => NOW } }
  return { ...(await estimateBuild(deps, "ada", model, { signal: never })), asked }
}

describe("the estimate of a build's cost", () => {
  it("prices the owner's own builds of the last 30 days with the chosen model", async () => {
    const entries = Array.from({ length: 11 }, (_, index) => entry(`r${index}`, 100 * (index + 1)))
    const { usd, builds, asked } = await estimate(entries)
    expect(builds).toBe(11)
    expect(asked).toEqual(["ada", { from: "2026-11-01", to: "2026-11-30" }])
    const price = (await estimate([1, 2, 3].map((run) => entry(`r${run}`, 1000)))).usd?.low ?? 0
    expect(price).toBeGreaterThan(0)
    // The second and the tenth of eleven builds, so that one unusual build doesn't count.
    expect(usd?.low).toBeCloseTo(0.2 * price)
    expect(usd?.high).toBeCloseTo(1.0 * price)
  })

  it("adds up a build's days, and leaves out agents' tasks, the demo and builds that asked no model", async () => {
    const entries = [
      ...[entry("r1", 40), entry("r1", 60), entry("r2", 100), entry("r3", 100)],
      ...[entry("a", 9000, { kind: "agent" }), entry("d", 9000, { provider: "scripted" }), entry("n", 0)],
    ]
    const { usd, builds } = await estimate(entries)
    expect(builds).toBe(3)
    expect(usd?.low).toBeCloseTo(usd?.high ?? 0)
  })

  it("is that of typical projects until there are three builds", async () => {
    const { usd, builds } = await estimate([entry("r1", 9000), entry("r2", 9000)])
    expect(builds).toBe(0)
    expect(usd?.low).toBeGreaterThan(0.01)
    expect(usd?.high).toBeLessThan(5)
  })

  it("is unknown for a model without a price, and nothing for the demo", async () => {
    expect(await estimate([], { provider: "local", model: "qwen" })).toMatchObject({ usd: null })
    expect(await estimate([], { provider: "scripted", model: "demo" })).toMatchObject({ usd: { low: 0, high: 0 } })
  })

  it("is shown with what it is based on", () => {
    const text = (usd: { low: number; high: number } | null, builds = 0) => estimateText({ usd, builds })
    expect(text({ low: 0.021, high: 0.3 })).toEqual(["$0.02 to $0.30", "for a project of 5 to 15 files"])
    expect(text({ low: 0.001, high: 0.3 }, 4)).toEqual(["under $0.01 to $0.30", "like your last 4 builds"])
    expect(text({ low: 0.02, high: 0.021 }, 4)).toEqual(["$0.02", "like your last 4 builds"])
    expect([text(null), text({ low: 0, high: 0 })]).toEqual([undefined, undefined])
  })
})
