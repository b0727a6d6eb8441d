/** The machines on which a stage in AWS has executors work: a container of an agent's, and one invocation of the worker. */
export const MACHINES = {
  container: { vcpu: 1, gb: 4 },
  function: { gb: 1 },
}
export type Machine = keyof typeof MACHINES

/** The day of the prices, and their region. `docs/cost.md` says what was compared with what since. */
export const MACHINE_PRICES_AS_OF = "2025-11-30"
export const MACHINE_PRICES_REGION = "eu-central-1"

/** The prices of their parts, in US dollars. */
export const MACHINE_PRICES = {
  lambdaGbSecond: 0.0000133334,
  fargateArmCpuHour: 0.03725,
  fargateArmGbHour: 0.00409,
  publicAddressHour: 0.005,
}

const HOUR_SECONDS = 3600
const HOUR_MS = HOUR_SECONDS * 1000

/** The price of an hour of a machine, in US dollars. */
export function machineHourUsd(machine: Machine): number {
  const { lambdaGbSecond, fargateArmCpuHour, fargateArmGbHour, publicAddressHour } = MACHINE_PRICES
  const { container } = MACHINES
  if (machine === "function") return MACHINES.function.gb * HOUR_SECONDS * lambdaGbSecond
  return container.vcpu * fargateArmCpuHour + container.gb * fargateArmGbHour + publicAddressHour
}

/** The machine of an executor, by its name; null for one on a machine that costs nothing more. */
export function machineOf(executor: string): Machine | null {
  if (executor.startsWith("ecs-")) return "container"
  return executor.startsWith("lambda-") ? "function" : null
}

/** Time of machines, in milliseconds. */
export interface MachineTime {
  container_ms: number
  function_ms: number
}

export const NO_TIME: MachineTime = { container_ms: 0, function_ms: 0 }

/** The time of a machine from one moment to another; none where the clocks of two writers differ. */
export function timeOn(machine: Machine, from: string, to: string): MachineTime {
  const ms = Math.max(0, Date.parse(to) - Date.parse(from))
  return machine === "container" ? { ...NO_TIME, container_ms: ms } : { ...NO_TIME, function_ms: ms }
}

/** The price of time of machines, in US dollars. */
export function machineUsd({ container_ms, function_ms }: MachineTime): number {
  return (container_ms * machineHourUsd("container") + function_ms * machineHourUsd("function")) / HOUR_MS
}
