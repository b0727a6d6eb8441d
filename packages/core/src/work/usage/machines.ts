import type { UsageRow } from "./schema.ts"

/** Processor architecture of an agent's container, as Docker names it. */
export type Architecture = "arm64" | "amd64"

/** Size of an agent's container: architecture and number of vCPUs, and GB of memory and disk. */
export interface ContainerSize {
  architecture: Architecture
  vcpu: number
  gb: number
  diskGb: number
}

/**
 * Returns a size's name, such as `4x16` for 4 vCPUs and 16 GB of memory, or `4x16x50` with a disk of 50 GB. The
 * architecture isn't part of it, because a stage has only one.
 */
export function nameOfSize({ vcpu, gb, diskGb }: Omit<ContainerSize, "architecture">): string {
  return [vcpu, gb, ...(diskGb > INCLUDED_DISK_GB ? [diskGb] : [])].join("x")
}

/** Returns the size with this name. Undefined if it isn't the name of a size. */
export function sizeNamed(name: string): Omit<ContainerSize, "architecture"> | undefined {
  const [, vcpu, gb, diskGb = INCLUDED_DISK_GB] = /^(\d{1,2})x(\d{1,3})(?:x(\d{1,3}))?$/.exec(name) ?? []
  return vcpu === undefined ? undefined : { vcpu: Number(vcpu), gb: Number(gb), diskGb: Number(diskGb) }
}

/** AWS machines of a stage: an agent's container with its default size, and one invocation of the worker function. */
export const MACHINES = {
  container: { architecture: "arm64", vcpu: 1, gb: 4, diskGb: 20 } satisfies ContainerSize,
  function: { gb: 1 },
}
export type Machine = keyof typeof MACHINES

/** Date and region of the prices. `docs/cost.md` compares them with newer prices. */
export const MACHINE_PRICES_AS_OF = "2025-11-30"
export const MACHINE_PRICES_REGION = "eu-central-1"

/** Unit prices of the machines' resources, in US dollars. */
export const MACHINE_PRICES = {
  lambdaGbSecond: 0.0000133334,
  fargateArmCpuHour: 0.03725,
  fargateArmGbHour: 0.00409,
  fargateAmdCpuHour: 0.04656,
  fargateAmdGbHour: 0.00511,
  /** Price of each GB of disk beyond `INCLUDED_DISK_GB`. */
  fargateDiskGbHour: 0.000128,
  publicAddressHour: 0.005,
}

/** Disk that is included in a container's price. */
const INCLUDED_DISK_GB = 20

const HOUR_SECONDS = 3600
const HOUR_MS = HOUR_SECONDS * 1000

/** Sizes of a stage's containers. */
export interface ContainerSizes {
  usual: ContainerSize
  /** Further sizes that a repository's settings may name. */
  others: ContainerSize[]
}

/** Returns a machine's price per hour, in US dollars. */
export function machineHourUsd(machine: Machine, container: ContainerSize = MACHINES.container): number {
  const prices = MACHINE_PRICES
  if (machine === "function") return MACHINES.function.gb * HOUR_SECONDS * prices.lambdaGbSecond
  const { architecture, vcpu, gb, diskGb } = container
  const isArm = architecture === "arm64"
  const cpuHour = isArm ? prices.fargateArmCpuHour : prices.fargateAmdCpuHour
  const gbHour = isArm ? prices.fargateArmGbHour : prices.fargateAmdGbHour
  const disk = (diskGb - INCLUDED_DISK_GB) * prices.fargateDiskGbHour
  return vcpu * cpuHour + gb * gbHour + disk + prices.publicAddressHour
}

/** Returns the machine of an executor, by the executor's name. Null if the machine has no extra cost. */
export function machineOf(executor: string): Machine | null {
  if (executor.startsWith("ecs-")) return "container"
  return executor.startsWith("lambda-") ? "function" : null
}

type MachineTime = UsageRow["machine"]

export const NO_TIME: MachineTime = { container_ms: 0, function_ms: 0 }

/**
 * Returns the machine time between two timestamps. Zero if the result would be negative because of clock skew. `size` is
 * the name of the container's size, if it isn't the stage's default.
 */
export function timeOn(machine: Machine, from: string, to: string, size?: string): MachineTime {
  const ms = Math.max(0, Date.parse(to) - Date.parse(from))
  if (machine === "container" && size !== undefined) return { ...NO_TIME, sized_ms: { [size]: ms } }
  return machine === "container" ? { ...NO_TIME, container_ms: ms } : { ...NO_TIME, function_ms: ms }
}

/** Returns the sum of two machine times. */
export function plusTime(a: MachineTime, b: MachineTime): MachineTime {
  const names = new Set([a, b].flatMap(({ sized_ms = {} }) => Object.keys(sized_ms)))
  const sums = [...names].map((name) => [name, (a.sized_ms?.[name] ?? 0) + (b.sized_ms?.[name] ?? 0)] as const)
  return {
    container_ms: a.container_ms + b.container_ms,
    function_ms: a.function_ms + b.function_ms,
    ...(sums.length > 0 && { sized_ms: Object.fromEntries(sums) }),
  }
}

/** Returns the total of machine time, in seconds. */
export function machineSeconds({ container_ms, function_ms, sized_ms = {} }: MachineTime): number {
  return Object.values(sized_ms).reduce((sum, ms) => sum + ms, container_ms + function_ms) / 1000
}

/** Returns the price of machine time, in US dollars. `container` is the default size. */
export function machineUsd(
  { container_ms, function_ms, sized_ms = {} }: MachineTime,
  container: ContainerSize = MACHINES.container,
): number {
  const sized = Object.entries(sized_ms).map(([name, ms]) => {
    return ms * machineHourUsd("container", { ...container, ...sizeNamed(name) })
  })
  const usual = container_ms * machineHourUsd("container", container) + function_ms * machineHourUsd("function")
  return sized.reduce((sum, usd) => sum + usd, usual) / HOUR_MS
}
