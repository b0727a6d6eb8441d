import type { UsageGroup, UsageTotal } from "@switchyard/core/people/usage/schema"
import { totalOf } from "@switchyard/core/work/usage/counts"

export const measures = ["Cost", "Tokens"] as const
export type Measure = (typeof measures)[number]

/** A report's groups by day and name, as plotted. */
export interface Plot {
  /** The names with the largest amounts, largest first, then `null` for all others combined, if there are any. */
  series: (string | null)[]
  columns: { day: string; parts: number[]; sum: number }[]
  /** Top of the axis: a round number that no column exceeds. */
  top: number
}

const SHOWN = 4
const DAY_MS = 86_400_000

/** Returns one column per day from the first to the last, each with a part for every series. */
export function plotOf(
  groups: (UsageGroup & { name: string })[],
  { from, to, measure }: { from: string; to: string; measure: Measure },
): Plot {
  const sums = new Map<string, number>()
  for (const group of groups) sums.set(group.name, (sums.get(group.name) ?? 0) + amountOf(group, measure))
  const names = [...sums].toSorted(([, a], [, b]) => b - a).flatMap(([name, sum]) => (sum > 0 ? [name] : []))
  const shown = names.slice(0, names.length > SHOWN + 1 ? SHOWN : SHOWN + 1)
  const series = names.length > shown.length ? [...shown, null] : shown
  const columns = daysBetween(from, to).map((day) => {
    const parts = series.map(() => 0)
    for (const group of groups.filter((one) => one.day === day)) {
      const at = shown.indexOf(group.name)
      const index = at < 0 ? series.length - 1 : at
      if (index >= 0) parts[index] = (parts[index] ?? 0) + amountOf(group, measure)
    }
    return { day, parts, sum: parts.reduce((sum, part) => sum + part, 0) }
  })
  return { series, columns, top: roundAbove(Math.max(0, ...columns.map(({ sum }) => sum))) }
}

/** Returns the plotted amount. An unknown amount counts as zero; the page says that it is missing. */
export function amountOf(total: UsageTotal, measure: Measure): number {
  return measure === "Cost" ? (total.cost_usd ?? 0) : tokensOf(total)
}

/** Returns the total number of tokens, including estimates. */
export function tokensOf({ tokens, estimated_input, estimated_output }: UsageTotal): number {
  return totalOf(tokens) + estimated_input + estimated_output
}

/** Returns the days between two days, inclusive. Days are in UTC. */
export function daysBetween(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1
  return Array.from({ length: Math.max(0, count) }, (_, i) => dayAfter(from, i))
}

/** Returns the day that is this many days later; earlier if negative. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}

/** Returns the smallest round number that isn't smaller than the value. */
function roundAbove(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((step) => step >= value) ?? value
}
