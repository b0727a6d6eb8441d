import type { UsageGroup, UsageReport, UsageTotal } from "@switchyard/core/people/usage/schema"

const AMOUNTS = ["input", "cache read", "cache write", "output", "cost"]

/** The lines of a report's table: a heading, the groups by their names, and the total. */
export function usageTable({ groups, total }: Pick<UsageReport, "groups" | "total">, names: string[]): string[] {
  const rows = groups.map((group) => [...names.map((name) => nameIn(group, name)), ...amountsOf(group)])
  const last = [...names.map((_, i) => (i === 0 ? "total" : "")), ...amountsOf(total)]
  const all = [[...names, ...AMOUNTS], ...rows, last]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  const cell = (text: string, i: number) =>
    i < names.length ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0)
  return all.map((row) => row.map(cell).join("  ").trimEnd())
}

function nameIn(group: UsageGroup, name: string): string {
  return String((group as Record<string, unknown>)[name] ?? "-")
}

function amountsOf({ tokens, estimated_input, estimated_output, cost_usd, cost_is_complete }: UsageTotal): string[] {
  const cost = cost_usd === null ? "unknown" : `${cost_is_complete ? "" : "at least "}$${cost_usd.toFixed(2)}`
  return [
    countOf(tokens.input, estimated_input),
    countOf(tokens.cache_read),
    countOf(tokens.cache_write),
    countOf(tokens.output, estimated_output),
    cost,
  ]
}

/** A number of tokens; one that contains an estimate begins with a tilde. */
function countOf(known: number | null, estimated = 0): string {
  if (known === null && estimated === 0) return "-"
  return `${estimated > 0 ? "~" : ""}${((known ?? 0) + estimated).toLocaleString("en-US")}`
}
