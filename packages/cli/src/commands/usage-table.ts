import { costText, machinesText, tokenCount } from "@switchyard/core/people/usage/amounts"
import type { UsageGroup, UsageReport, UsageTotal } from "@switchyard/core/people/usage/schema"

const AMOUNTS = ["input", "cache read", "cache write", "output", "cost"]

/**
 * Renders a report as a table with a heading, the groups by name, and the total. Has a column for machines if any were
 * used.
 */
export function usageTable({ groups, total }: Pick<UsageReport, "groups" | "total">, names: string[]): string[] {
  const withMachines = total.machine_seconds > 0
  const amounts = (of: UsageTotal) => [...amountsOf(of), ...(withMachines ? [machinesText(of)] : [])]
  const rows = groups.map((group) => [...names.map((name) => nameIn(group, name)), ...amounts(group)])
  const last = [...names.map((_, i) => (i === 0 ? "total" : "")), ...amounts(total)]
  const all = [[...names, ...AMOUNTS, ...(withMachines ? ["machines"] : [])], ...rows, last]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  const cell = (text: string, i: number) =>
    i < names.length ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0)
  return all.map((row) => row.map(cell).join("  ").trimEnd())
}

function nameIn(group: UsageGroup, name: string): string {
  return String((group as Record<string, unknown>)[name] ?? "-")
}

function amountsOf(total: UsageTotal): string[] {
  const { tokens, estimated_input, estimated_output } = total
  return [
    tokenCount(tokens.input, estimated_input),
    tokenCount(tokens.cache_read),
    tokenCount(tokens.cache_write),
    tokenCount(tokens.output, estimated_output),
    costText(total),
  ]
}
