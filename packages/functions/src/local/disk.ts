import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { openSessionLog, type SessionLogDeps } from "@switchyard/core/kernel/session-log"
import { isLive } from "@switchyard/core/kernel/state"
import { removedAccounts } from "@switchyard/core/people/accounts/removed"
import { GRACE_MS } from "@switchyard/core/sessions/session-index"

export interface DiskDeps extends SessionLogDeps {
  dataFolder: string
  /** Whether the session has a runner, which may still write. */
  isServed: (sid: string) => boolean
  report: (error: unknown) => void
}

/** The folders that runners have for each session beside the stores. */
const FOLDERS = ["projects", "runner"]

/** A task that began on the account before it was removed has ended by then. */
const HOME_GRACE_MS = 24 * 60 * 60_000

/**
 * Removes the folders of sessions that were deleted, and the homes of accounts that were. The folders themselves say what
 * there is to look at, so that nothing is forgotten, whatever dies in between.
 */
export async function freeDisk(deps: DiskDeps, options: { signal: AbortSignal }): Promise<void> {
  for (const folder of FOLDERS) {
    for (const sid of await listNames(join(deps.dataFolder, folder))) {
      options.signal.throwIfAborted()
      if (await isDeleted(deps, sid, options)) await remove(deps, join(folder, sid))
    }
  }
  for (const home of await listNames(join(deps.dataFolder, "homes"))) {
    for (const sid of await listNames(join(deps.dataFolder, "homes", home))) {
      options.signal.throwIfAborted()
      if (await isDeleted(deps, sid, options)) await remove(deps, join("homes", home, sid))
    }
  }
  for await (const { id, removedAt, forget } of removedAccounts(deps.records, options)) {
    if (deps.clock.now() < removedAt + HOME_GRACE_MS) continue
    await remove(deps, join("homes", id))
    await forget()
  }
}

async function isDeleted(deps: DiskDeps, sid: string, options: { signal: AbortSignal }): Promise<boolean> {
  if (!/^[0-9a-f]{32}$/.test(sid) || deps.isServed(sid)) return false
  const { state } = await openSessionLog(deps, sid, options)
  if (state.session.since === null || isLive(state)) return false
  return deps.clock.now() >= Date.parse(state.session.since.ts) + GRACE_MS
}

/** A folder that can't be removed is reported, and the others are still removed. */
async function remove({ dataFolder, report }: DiskDeps, path: string): Promise<void> {
  await rm(join(dataFolder, path), { recursive: true, force: true }).catch(report)
}

async function listNames(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}
