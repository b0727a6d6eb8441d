import type { RunCost } from "../../work/runs/schema.ts"
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
  return machine_seconds === 0 ? "-" : dollars(machine_usd)
}

/**
 * The estimated cost of one run as people read it, its model's and its machine's: a part that isn't known is `unknown`, not zero.
 * Undefined where there is nothing to say, as of a free model on a machine of one's own.
 */
export function runCostText(cost: RunCost | null): string | undefined {
  if (!cost) return undefined
  const { cost_usd, cost_is_complete, machine_usd } = cost
  if (machine_usd === null && (cost_usd ?? 0) === 0) return undefined
  const amount = cost_usd === null ? "unknown" : `${cost_is_complete ? "" : "at least "}${dollars(cost_usd)}`
  const machine = machine_usd === null ? "" : `, ${dollars(machine_usd)} for the machine`
  return `${amount} for the model${machine}`
}

function dollars(usd: number): string {
  return usd > 0 && usd < 0.01 ? "under $0.01" : `$${usd.toFixed(2)}`
}
