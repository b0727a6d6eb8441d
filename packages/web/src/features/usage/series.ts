import type { UsageGroup, UsageTotal } from "@switchyard/core/people/usage/schema"
import { totalOf } from "@switchyard/core/work/usage/counts"

export const measures = ["Cost", "Tokens"] as const
export type Measure = (typeof measures)[number]

/** The groups of a report by day and one name, as they are plotted. */
export interface Plot {
  /** The names with the most, most first, and `null` for the rest of them together, if there is one. */
  series: (string | null)[]
  columns: { day: string; parts: number[]; sum: number }[]
  /** The end of the axis: a round number that no column passes. */
  top: number
}

const SHOWN = 4
const DAY_MS = 86_400_000

/** A column for each day from the first to the last, of which each has a part for each of the series. */
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

/** The plotted amount. An unknown one adds nothing; the page says that it is missing. */
export function amountOf(total: UsageTotal, measure: Measure): number {
  return measure === "Cost" ? (total.cost_usd ?? 0) : tokensOf(total)
}

/** All of its tokens, with the estimates. */
export function tokensOf({ tokens, estimated_input, estimated_output }: UsageTotal): number {
  return totalOf(tokens) + estimated_input + estimated_output
}

/** The days from one to another, both among them. Days are those of UTC. */
export function daysBetween(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1
  return Array.from({ length: Math.max(0, count) }, (_, i) => dayAfter(from, i))
}

/** The day so many days after another; before it if they are negative. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}

/** The smallest round number that is no less. */
function roundAbove(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((step) => step >= value) ?? value
}
