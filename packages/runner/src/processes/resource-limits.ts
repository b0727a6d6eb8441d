import { statfs } from "node:fs/promises"
import { totalmem } from "node:os"
import type { Clock } from "@switchyard/core/time"

/** The most that one process of a program may take. */
export interface ResourceLimits {
  /** Of memory that it can write to, reserved or in use. */
  memoryBytes: number
  /** The length of a file that it writes. */
  fileBytes: number
}

/** Runtimes such as Bun reserve gigabytes that they never use. */
const LEAST_MEMORY_BYTES = 8 * 2 ** 30
const MEMORY_SHARE = 0.75
/** A repository's history or an image is one large file. */
const LEAST_FILE_BYTES = 2 ** 30
const FREE_SHARE = 0.5

/**
 * The limits on this machine for a program that works in this folder: most of its memory, or less where that is asked for, and
 * half of what is free of the disk.
 */
export async function readLimits(folder: string, most = Number.POSITIVE_INFINITY): Promise<ResourceLimits> {
  const memoryBytes = Math.min(most, Math.max(LEAST_MEMORY_BYTES, MEMORY_SHARE * totalmem()))
  const free = await freeBytes(folder)
  const fileBytes = Number.isFinite(free) ? Math.max(LEAST_FILE_BYTES, FREE_SHARE * free) : LEAST_FILE_BYTES
  return { memoryBytes, fileBytes }
}

/** The room that stays for the server: for its records, and for what it has yet to store of the work. */
const RESERVE_BYTES = 2 ** 30
const RESERVE_SHARE = 0.5
const LOOK_EVERY_MS = 1000

/** Resolves to true once less than a gigabyte of the folder's disk is free, or than half of what was at first; to whether it is so, when it is aborted. */
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

/** The bytes that a user who isn't root may still write where this folder is. */
async function freeBytes(folder: string): Promise<number> {
  // A folder that its program has removed says nothing of its disk.
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: Number.POSITIVE_INFINITY, bsize: 1 }))
  return bavail * bsize
}

const BLOCK = 512
const KIB = 1024

/** The steps of a shell by which it and what it starts get these limits for good. A limit that is lower already stays. */
export function limitSteps({ memoryBytes, fileBytes }: ResourceLimits): string {
  const set = (option: string, amount: number) => `ulimit ${option} ${Math.floor(amount)} 2>/dev/null; `
  return set("-f", fileBytes / BLOCK) + set("-d", memoryBytes / KIB)
}
