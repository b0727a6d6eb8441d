import { randomUUID } from "node:crypto"
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { backoffMs, retry } from "@switchyard/core/concurrency/retry"
import { AppError } from "@switchyard/core/errors"
import type { Clock } from "@switchyard/core/time"
import { isRunning, ownProcess, type ProcessIdentity, readProcessIdentity } from "../processes/process-identity.ts"

/**
 * Runs one task at a time across processes. `folder` must be used for nothing else. Locks of processes that died are
 * released. Throws `worktree_busy` if another process still holds the lock after `patienceMs`.
 */
export async function withLock<T>(
  { folder, clock, patienceMs }: { folder: string; clock: Clock; patienceMs: number },
  task: () => Promise<T>,
  { signal }: { signal: AbortSignal },
): Promise<T> {
  await mkdir(folder, { recursive: true })
  const release = await take(`${folder}/lock`, { clock, patienceMs }, signal)
  try {
    await forgetDead(folder)
    return await task()
  } finally {
    await release()
  }
}

async function take(
  lock: string,
  { clock, patienceMs }: { clock: Clock; patienceMs: number },
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const mine = `${lock}-${randomUUID()}`
  const deadline = clock.monotonic() + patienceMs
  try {
    await writeFile(mine, JSON.stringify(await ownProcess()))
    for (let attempt = 0; ; attempt++) {
      // Creating a link is atomic, so other processes never see a partly written lock.
      if (await tryLink(mine, lock)) return () => letGo(lock, clock)
      const holder = await readProcessIdentity(lock)
      if (holder && !(await isRunning(holder))) await removeDead(lock, holder)
      else if (clock.monotonic() > deadline) throw new AppError("worktree_busy", "The repository is in use.", { lock })
      else await clock.sleep(backoffMs(attempt, 5, 200), { signal })
    }
  } finally {
    await letGo(mine, clock)
  }
}

/**
 * Removes this process's lock. Retries after disk errors, because other processes would otherwise wait until this
 * process exits.
 */
async function letGo(file: string, clock: Clock): Promise<void> {
  const delayMs = (_: unknown, attempt: number) => (attempt < REMOVE_RETRIES ? backoffMs(attempt, 20, 1000) : undefined)
  await retry(() => rm(file, { force: true }), { delayMs, clock })
}

const REMOVE_RETRIES = 5

/** Removes files that were left by processes that died while waiting. */
async function forgetDead(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => each.startsWith("lock-"))) {
    const holder = await readProcessIdentity(`${folder}/${name}`)
    if (holder && !(await isRunning(holder))) await rm(`${folder}/${name}`, { force: true })
  }
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw error
  }
}

/** Removes the lock of a process that died. If the lock turns out to belong to another process by now, restores it. */
async function removeDead(lock: string, dead: ProcessIdentity): Promise<void> {
  const taken = `${lock}-${randomUUID()}`
  try {
    await rename(lock, taken)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return
    throw error
  }
  const found = JSON.parse(await readFile(taken, "utf8"))
  if (found.pid !== dead.pid || found.started !== dead.started) await tryLink(taken, lock)
  await rm(taken, { force: true })
}
