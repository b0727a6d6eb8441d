import type { RunCost } from "../../work/runs/schema.ts"
import type { BuildEstimate, UsageTotal } from "./schema.ts"

/**
 * Formats a number of tokens. A tilde in front means that the number includes estimates. `-` means that the number is
 * unknown, not zero.
 */
export function tokenCount(known: number | null, estimated = 0): string {
  if (known === null && estimated === 0) return "-"
  return `${estimated > 0 ? "~" : ""}${((known ?? 0) + estimated).toLocaleString("en-US")}`
}

/** Formats a cost. If part of the cost has no known price, returns `unknown`, or `at least` and an amount. */
export function costText({ cost_usd, cost_is_complete }: Pick<UsageTotal, "cost_usd" | "cost_is_complete">): string {
  if (cost_usd === null) return "unknown"
  return `${cost_is_complete ? "" : "at least "}$${cost_usd.toFixed(2)}`
}

/** Formats the cost of machines. Returns `-` if no machine with a price was used. */
export function machinesText({ machine_seconds, machine_usd }: Pick<UsageTotal, "machine_seconds" | "machine_usd">) {
  return machine_seconds === 0 ? "-" : dollars(machine_usd)
}

/**
 * Formats the estimated cost of a run's model usage and machine time. An unknown cost becomes `unknown`, not zero.
 * Returns undefined if there is nothing to show, for example for a free model on a local machine.
 */
export function runCostText(cost: RunCost | null): string | undefined {
  if (!cost) return undefined
  const { cost_usd, cost_is_complete, machine_usd } = cost
  if (machine_usd === null && (cost_usd ?? 0) === 0) return undefined
  const amount = cost_usd === null ? "unknown" : `${cost_is_complete ? "" : "at least "}${dollars(cost_usd)}`
  const machine = machine_usd === null ? "" : `, ${dollars(machine_usd)} for the machine`
  return `${amount} for the model${machine}`
}

/**
 * Returns the probable cost of a build, and what the estimate is based on. Undefined if the build is free or its price
 * is unknown.
 */
export function estimateText({
  usd,
  builds,
}: Pick<BuildEstimate, "usd" | "builds">): [amount: string, basis: string] | undefined {
  if (!usd || usd.high === 0) return undefined
  const [low, high] = [dollars(usd.low), dollars(usd.high)]
  return [
    low === high ? low : `${low} to ${high}`,
    builds > 0 ? `like your last ${builds} builds` : "for a project of 5 to 15 files",
  ]
}

/** Formats dollars. Amounts below a cent aren't rounded down to zero. */
export function dollars(usd: number): string {
  return usd > 0 && usd < 0.01 ? "under $0.01" : `$${usd.toFixed(2)}`
}
