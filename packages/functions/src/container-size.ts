import {
  type Architecture,
  type ContainerSize,
  type ContainerSizes,
  MACHINES,
} from "@switchyard/core/work/usage/machines"
import { ZodError } from "zod"
import { settingError } from "./setting-error.ts"

/** Settings of the containers' size, as text or already parsed. */
export interface SizeSettings {
  RUNNER_ARCHITECTURE?: string | undefined
  RUNNER_VCPUS?: string | number | undefined
  RUNNER_MEMORY_GB?: string | number | undefined
  RUNNER_DISK_GB?: string | number | undefined
  RUNNER_SIZES?: string | undefined
}

/**
 * Memory that Fargate offers for each number of vCPUs, in GB, from the table in its developer guide. Smaller tasks than
 * one vCPU are too slow for an agent.
 */
const MEMORY_GB: Record<number, { min: number; max: number; step: number }> = {
  1: { min: 2, max: 8, step: 1 },
  2: { min: 4, max: 16, step: 1 },
  4: { min: 8, max: 30, step: 1 },
  8: { min: 16, max: 60, step: 4 },
  16: { min: 32, max: 120, step: 8 },
}

/** Fargate's limits of a task's disk, in GB. The minimum is included in the task's price. */
const DISK_GB = { min: 20, max: 200 }

/** Default memory per vCPU, which Fargate offers for each number of vCPUs. */
const GB_PER_VCPU = 4

/**
 * Returns the size of agents' containers: by default 1 vCPU of arm64, 4 GB of memory per vCPU, and 20 GB of disk.
 * Throws a `ZodError` with the valid values if Fargate has no such size.
 */
export function readContainerSize(settings: SizeSettings): ContainerSize {
  const architecture = settings.RUNNER_ARCHITECTURE || MACHINES.container.architecture
  if (!isArchitecture(architecture)) {
    throw settingError("RUNNER_ARCHITECTURE", "Fargate only has arm64 and amd64.", architecture)
  }
  const vcpu = numberOr(MACHINES.container.vcpu, settings.RUNNER_VCPUS)
  const memory = MEMORY_GB[vcpu]
  if (!memory) {
    const choices = Object.keys(MEMORY_GB).join(", ")
    throw settingError("RUNNER_VCPUS", `Fargate only has ${choices}.`, settings.RUNNER_VCPUS)
  }
  const { min, max, step } = memory
  const gb = numberOr(vcpu * GB_PER_VCPU, settings.RUNNER_MEMORY_GB)
  if (!(gb >= min && gb <= max && (gb - min) % step === 0)) {
    const steps = step === 1 ? "whole numbers" : `steps of ${step}`
    const message = `With RUNNER_VCPUS=${vcpu}, Fargate only has ${min} to ${max} GB, in ${steps}.`
    throw settingError("RUNNER_MEMORY_GB", message, settings.RUNNER_MEMORY_GB)
  }
  const diskGb = numberOr(DISK_GB.min, settings.RUNNER_DISK_GB)
  if (!(Number.isInteger(diskGb) && diskGb >= DISK_GB.min && diskGb <= DISK_GB.max)) {
    const message = `Fargate only has ${DISK_GB.min} to ${DISK_GB.max} GB, in whole numbers.`
    throw settingError("RUNNER_DISK_GB", message, settings.RUNNER_DISK_GB)
  }
  return { architecture, vcpu, gb, diskGb }
}

/**
 * Returns the default size of agents' containers, and the sizes in `RUNNER_SIZES` that a repository's settings may name.
 * Throws a `ZodError` with the valid values if Fargate has no such size.
 */
export function readContainerSizes({ RUNNER_SIZES = "", ...settings }: SizeSettings): ContainerSizes {
  const usual = readContainerSize(settings)
  const names = RUNNER_SIZES.split(",").map((name) => name.trim())
  return { usual, others: names.filter((name) => name !== "").map((name) => sizeIn(name, usual)) }
}

function sizeIn(name: string, usual: ContainerSize): ContainerSize {
  const [, vcpus, memory, disk] = /^(\d{1,3})(?:x(\d{1,3})(?:x(\d{1,3}))?)?$/.exec(name) ?? []
  if (vcpus === undefined) {
    throw settingError(
      "RUNNER_SIZES",
      `${name} isn't a size such as 4, 4x16 or 4x16x50 (vCPUs, GB of memory, disk).`,
      name,
    )
  }
  // Fargate can only enlarge the disk of a task definition.
  if (disk !== undefined && Number(disk) < usual.diskGb) {
    throw settingError("RUNNER_SIZES", `${name} has less disk than RUNNER_DISK_GB.`, name)
  }
  try {
    const size = { RUNNER_VCPUS: vcpus, RUNNER_MEMORY_GB: memory, RUNNER_DISK_GB: disk ?? usual.diskGb }
    return readContainerSize({ RUNNER_ARCHITECTURE: usual.architecture, ...size })
  } catch (error) {
    if (!(error instanceof ZodError)) throw error
    throw settingError("RUNNER_SIZES", `${name}: ${error.issues[0]?.message}`, name)
  }
}

function isArchitecture(name: string): name is Architecture {
  return name === "arm64" || name === "amd64"
}

function numberOr(usual: number, value: string | number | undefined): number {
  return value === undefined || value === "" ? usual : Number(value)
}
