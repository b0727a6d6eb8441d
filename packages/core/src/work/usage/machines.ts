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

/** Returns the machine time between two timestamps. Zero if the result would be negative because of clock skew. */
export function timeOn(machine: Machine, from: string, to: string): MachineTime {
  const ms = Math.max(0, Date.parse(to) - Date.parse(from))
  return machine === "container" ? { ...NO_TIME, container_ms: ms } : { ...NO_TIME, function_ms: ms }
}

/** Returns the price of machine time, in US dollars. */
export function machineUsd({ container_ms, function_ms }: MachineTime, container?: ContainerSize): number {
  return (container_ms * machineHourUsd("container", container) + function_ms * machineHourUsd("function")) / HOUR_MS
}
