import { statfs } from "node:fs/promises"
import { totalmem } from "node:os"
import type { Clock } from "@switchyard/core/time"

/** Resource limits per process of a program. */
export interface ResourceLimits {
  /** Maximum writable memory. Memory that is only reserved counts too. */
  memoryBytes: number
  /** Maximum size of a written file. */
  fileBytes: number
}

/** Minimum memory limit. It is high, because runtimes such as Bun reserve gigabytes that they never use. */
const LEAST_MEMORY_BYTES = 8 * 2 ** 30
const MEMORY_SHARE = 0.75
/** Minimum file size limit. It is high, because the history of a repository or an image can be a single large file. */
const LEAST_FILE_BYTES = 2 ** 30
const FREE_SHARE = 0.5

/**
 * Returns the limits for a program in this folder. The memory limit is a share of the machine's memory, at most `most`
 * bytes. The file size limit is a share of the free disk space.
 */
export async function readLimits(folder: string, most = Number.POSITIVE_INFINITY): Promise<ResourceLimits> {
  const memoryBytes = Math.min(most, Math.max(LEAST_MEMORY_BYTES, MEMORY_SHARE * totalmem()))
  const free = await freeBytes(folder)
  const fileBytes = Number.isFinite(free) ? Math.max(LEAST_FILE_BYTES, FREE_SHARE * free) : LEAST_FILE_BYTES
  return { memoryBytes, fileBytes }
}

/** Disk space that is reserved for the server's records and for work that hasn't been stored yet. */
const RESERVE_BYTES = 2 ** 30
const RESERVE_SHARE = 0.5
const LOOK_EVERY_MS = 1000

/**
 * Returns true once the free space falls below 1 GiB, or below half of the initial free space if that is less than 1
 * GiB. If the signal aborts, checks one last time.
 */
export async function diskIsNearlyFull(
  folder: string,
  { clock, signal }: { clock: Pick<Clock, "sleep">; signal: AbortSignal },
): Promise<boolean> {
  const reserve = Math.min(RESERVE_BYTES, RESERVE_SHARE * (await freeBytes(folder)))
  for (;;) {
    await clock.sleep(LOOK_EVERY_MS, { signal }).catch(() => undefined)
    const isLast = signal.aborted
    if ((await freeBytes(folder)) < reserve) return true
    if (isLast) return false
  }
}

/** Returns the number of bytes that a user without root rights can still write to the folder's disk. */
async function freeBytes(folder: string): Promise<number> {
  // If the program has removed the folder, it is unknown which disk was used.
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: Number.POSITIVE_INFINITY, bsize: 1 }))
  return bavail * bsize
}

const BLOCK = 512
const KIB = 1024

/**
 * Returns shell commands that set these limits for the shell and its descendants. Existing limits that are lower are
 * kept.
 */
export function limitSteps({ memoryBytes, fileBytes }: ResourceLimits): string {
  const set = (option: string, amount: number) => `ulimit ${option} ${Math.floor(amount)} 2>/dev/null; `
  return set("-f", fileBytes / BLOCK) + set("-d", memoryBytes / KIB)
}
