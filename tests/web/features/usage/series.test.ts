import { describe, expect, it } from "vitest"
import { dayAfter, daysBetween, plotOf, tokensOf } from "../../../../packages/web/src/features/usage/series.ts"

function group(day: string, name: string, cost_usd: number | null, input: number | null = null) {
  const tokens = { input, cache_read: null, cache_write: null, output: null }
  const counts = {
    estimated_input: 0,
    estimated_output: 0,
    reports: 1,
    unreported: 0,
    searches: 0,
    machine_seconds: 0,
    machine_usd: 0,
  }
  return { day, name, tokens, cost_usd, cost_is_complete: cost_usd !== null, ...counts }
}

describe("the plot of usage", () => {
  const days = { from: "2026-02-27", to: "2026-03-01", measure: "Cost" } as const

  it("has a column for each day, also for one without usage, and a part for each name, most first", () => {
    const groups = [group("2026-02-27", "a", 1), group("2026-02-27", "b", 3), group("2026-03-01", "a", 0.5)]
    expect(plotOf(groups, days)).toEqual({
      series: ["b", "a"],
      columns: [
        { day: "2026-02-27", parts: [3, 1], sum: 4 },
        { day: "2026-02-28", parts: [0, 0], sum: 0 },
        { day: "2026-03-01", parts: [0, 0.5], sum: 0.5 },
      ],
      top: 4,
    })
  })

  it("puts what there are no colours for together, and loses none of it", () => {
    const groups = ["a", "b", "c", "d", "e", "f", "g"].map((name, index) => group("2026-02-28", name, 10 - index))
    const { series, columns } = plotOf(groups, days)
    expect(series).toEqual(["a", "b", "c", "d", null])
    expect(columns[1]).toEqual({ day: "2026-02-28", parts: [10, 9, 8, 7, 6 + 5 + 4], sum: 49 })
    expect(plotOf(groups.slice(0, 5), days).series).toEqual(["a", "b", "c", "d", "e"])
  })

  it("has no place for what is unknown, and an axis without anything", () => {
    const { series, top } = plotOf([group("2026-02-28", "a", null, 900)], days)
    expect({ series, top }).toEqual({ series: [], top: 1 })
    expect(plotOf([group("2026-02-28", "a", null, 900)], { ...days, measure: "Tokens" })).toMatchObject({
      series: ["a"],
      top: 1000,
    })
  })
})

describe("usage", () => {
  it("is counted by days of UTC, over the ends of months and years", () => {
    expect(daysBetween("2026-12-31", "2027-01-01")).toEqual(["2026-12-31", "2027-01-01"])
    expect(dayAfter("2026-03-01", -1)).toBe("2026-02-28")
    expect(daysBetween("2026-03-02", "2026-03-01")).toEqual([])
  })

  it("is the sum of all kinds of tokens, with the estimates", () => {
    const tokens = { input: 1, cache_read: 20, cache_write: null, output: 300 }
    expect(tokensOf({ ...group("2026-03-01", "a", null), tokens, estimated_output: 4000 })).toBe(4321)
  })
})
