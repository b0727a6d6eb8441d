import { execFile } from "node:child_process"
import { readdir, rm } from "node:fs/promises"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { openSessionLog, type SessionLogDeps } from "@switchyard/core/kernel/session-log"
import { isLive } from "@switchyard/core/kernel/state"
import { removedAccounts } from "@switchyard/core/people/accounts/removed"
import { GRACE_MS } from "@switchyard/core/sessions/session-index"
import type { Config } from "../config.ts"

export interface DiskDeps extends SessionLogDeps {
  dataFolder: string
  /** Returns true if the session has a runner, which may still write to the folders. */
  isServed: (sid: string) => boolean
  report: (error: unknown) => void
  /**
   * Saves the work of a deleted session to the repositories on this machine. Rejects if the session's files must be
   * kept.
   */
  retire: (sid: string, options: { signal: AbortSignal }) => Promise<void>
}

/** Runner folders with a subfolder per session, next to the stores. */
const FOLDERS = ["projects", "runner"]

/** Suffix of the files that contain a runner's records of its worktrees. */
const WORK_RECORD = ".worktree.json"

const RUNNER = fileURLToPath(new URL("../../../runner/src/main.mjs", import.meta.url))

/**
 * Creates the function that saves a deleted session's work. It runs the runner's code, because that code knows the
 * session's repositories and the users that agents run as.
 */
export function createRetire({
  dataFolder,
  retentionMs,
}: Pick<Config, "dataFolder" | "retentionMs">): DiskDeps["retire"] {
  return async (sid, { signal }) => {
    const args = [RUNNER, "retire", resolve(dataFolder), sid, `${retentionMs}`]
    await promisify(execFile)(process.execPath, args, { signal })
  }
}

/** Time until a removed account's home is deleted. Any task that started before the removal has ended by then. */
const HOME_GRACE_MS = 24 * 60 * 60_000

/**
 * Removes the folders of deleted sessions and the homes of deleted accounts. Starts from the existing folders and not
 * from the deletions, so that a crash leaves no folder behind.
 */
export async function freeDisk(deps: DiskDeps, options: { signal: AbortSignal }): Promise<void> {
  const lists = await Promise.all(FOLDERS.map((folder) => listNames(join(deps.dataFolder, folder))))
  for (const sid of new Set(lists.flat())) {
    options.signal.throwIfAborted()
    if (await isDeleted(deps, sid, options)) await removeSession(deps, sid, options)
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

/**
 * Removes a session's folders. If they contain the only copy of a person's work and the work can't be saved, reports
 * the error and keeps the folders.
 */
async function removeSession(deps: DiskDeps, sid: string, options: { signal: AbortSignal }): Promise<void> {
  const hasWork = (await listNames(join(deps.dataFolder, "runner", sid))).some((name) => name.endsWith(WORK_RECORD))
  if (hasWork) {
    try {
      await deps.retire(sid, options)
    } catch (error) {
      options.signal.throwIfAborted()
      return deps.report(error)
    }
    // A new session with this ID may have been opened while the work was being saved.
    if (!(await isDeleted(deps, sid, options))) return
  }
  for (const folder of FOLDERS) await remove(deps, join(folder, sid))
}

/** Removes a folder. Reports an error instead of throwing it, so that the other folders are still removed. */
async function remove({ dataFolder, report }: DiskDeps, path: string): Promise<void> {
  await rm(join(dataFolder, path), { recursive: true, force: true }).catch(report)
}

async function listNames(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}
