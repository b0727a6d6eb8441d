import type { UsageTotal } from "./schema.ts"

/** A number of tokens as people read it. One that contains an estimate begins with a tilde; `-` is unknown, not zero. */
export function tokenCount(known: number | null, estimated = 0): string {
  if (known === null && estimated === 0) return "-"
  return `${estimated > 0 ? "~" : ""}${((known ?? 0) + estimated).toLocaleString("en-US")}`
}

/** A cost as people read it: `unknown`, or `at least` so much where a part of it has no known price. */
export function costText({ cost_usd, cost_is_complete }: Pick<UsageTotal, "cost_usd" | "cost_is_complete">): string {
  if (cost_usd === null) return "unknown"
  return `${cost_is_complete ? "" : "at least "}$${cost_usd.toFixed(2)}`
}

/** The price of machines as people read it; `-` where none was used that has one. */
export function machinesText({ machine_seconds, machine_usd }: Pick<UsageTotal, "machine_seconds" | "machine_usd">) {
  if (machine_seconds === 0) return "-"
  return machine_usd < 0.01 ? "under $0.01" : `$${machine_usd.toFixed(2)}`
}
