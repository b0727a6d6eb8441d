import { keysIn, type UsageReport } from "./schema.ts"

const AMOUNTS = [
  "input",
  "cache_read",
  "cache_write",
  "output",
  "estimated_input",
  "estimated_output",
  "cost_usd",
  "cost_is_complete",
  "reports",
  "unreported",
  "machine_seconds",
  "machine_usd",
  "searches",
]

/** Formats a report as CSV (RFC 4180). Unknown values are left empty. */
export function usageCsv({ groups }: UsageReport, groupBy: string): string {
  const names = keysIn(groupBy) ?? []
  const lines = groups.map(({ tokens, ...group }) => {
    const values: Record<string, unknown> = { ...tokens, ...group }
    return [...names, ...AMOUNTS].map((name) => field(values[name])).join(",")
  })
  return [[...names, ...AMOUNTS].join(","), ...lines, ""].join("\r\n")
}

/** Formats one value. Adds an apostrophe before text that a spreadsheet would treat as a formula. */
function field(value: unknown): string {
  if (value === null || value === undefined) return ""
  if (typeof value !== "string") return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
