import { execFile } from "node:child_process"
import { promisify } from "node:util"

/** One figure of an answer, with its baseline. */
export interface Line {
  what: string
  value: number
  unit: Unit
  /** Figure measured in the same run and in the same unit. */
  baseline?: { what: string; value: number }
  /** Ratio of the value to the baseline. */
  ratio?: number
  target?: Target
}

/** Units. Those after `events/s` are counted or computed from counts; the others are measured. */
export type Unit = "ms" | "MB" | "events/s" | "times" | "units" | "bytes" | "tokens" | "GB-s" | "dollars"

const COUNTED: Unit[] = ["times", "units", "bytes", "tokens", "GB-s", "dollars"]

/**
 * Limit of a figure. A count or ratio above it fails the bench. A time doesn't, because it depends on the machine's
 * load.
 */
export interface Target {
  of: "value" | "ratio"
  atMost: number
}

/** A figure that can't be measured on this machine. */
export interface NotMeasured {
  what: string
  reason: string
}

/** A question of `npm run bench`. Each has its own file. */
export interface Question {
  asks: string
  answer(): Promise<(Line | NotMeasured)[]>
}

export interface Comparison {
  value: number
  baseline: number
  ratio: number
}

export function isGate({ unit, target }: Line): boolean {
  return target !== undefined && (target.of === "ratio" || COUNTED.includes(unit))
}

export function isMet({ value, ratio, target }: Line): boolean {
  if (!target) return true
  return (target.of === "ratio" ? (ratio ?? Number.NaN) : value) <= target.atMost
}

/** Returns the milliseconds that the work takes. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Returns the milliseconds of CPU time that this process spends on the work, in all of its threads. */
export async function cpuTimed(work: () => unknown): Promise<number> {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

/** Returns the milliseconds of CPU time of a command and its children, as Bash counts them. */
export async function cpuOf(command: string, args: string[], { cwd }: { cwd: string }): Promise<number> {
  const { stdout } = await promisify(execFile)("bash", ["-c", '"$0" "$@" && times', command, ...args], { cwd })
  const [children = ""] = stdout.trim().split("\n").slice(-1)
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  )
  return seconds.reduce((sum, part) => sum + part, 0) * 1000
}

/**
 * Returns the medians of two measurements that take turns, after one uncounted round of each. The ratio is the median
 * of the pairs' ratios, because other load on the machine usually affects both measurements of a pair.
 */
export async function sideBySide(
  measure: () => Promise<number>,
  baseline: () => Promise<number>,
  { rounds = 7 }: { rounds?: number } = {},
): Promise<Comparison> {
  await baseline()
  await measure()
  const pairs: Comparison[] = []
  for (let round = 0; round < rounds; round++) {
    const compared = await baseline()
    const value = await measure()
    pairs.push({ value, baseline: compared, ratio: value / compared })
  }
  return {
    value: median(pairs.map((pair) => pair.value)),
    baseline: median(pairs.map((pair) => pair.baseline)),
    ratio: median(pairs.map((pair) => pair.ratio)),
  }
}

export function compared(
  what: string,
  unit: Unit,
  to: string,
  { value, baseline, ratio }: Comparison,
  target?: Target,
): Line {
  return { what, unit, value, baseline: { what: to, value: baseline }, ratio, target }
}

export function median(values: number[]): number {
  return percentile(values, 50)
}

export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN
}
