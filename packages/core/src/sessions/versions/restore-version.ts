import { AppError } from "../../errors.ts"
import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { commitChanges } from "../../files/workspaces/commit.ts"
import { restoreChanges } from "../../files/workspaces/compare.ts"
import type { Manifest, StoredChange } from "../../files/workspaces/manifest.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import type { Rule, SessionLog } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import { mayChangeFiles } from "../../work/runs/kinds.ts"
import { activeRuns } from "../../work/runs/state.ts"
import { lifeOf } from "../moments/forking.ts"
import { requireVersion } from "./read-versions.ts"
import type { Restored } from "./schema.ts"

interface Wanted {
  version: number
  /** Only this file is restored. By default, all files are restored. */
  path?: WorkspacePath | undefined
  /** Throws `workspace_conflict` if this is no longer the newest version. */
  ifVersion?: number | undefined
  signal: AbortSignal
}

/**
 * Restores the content of an earlier version, for all files or only one, and commits it as a new version. Commits
 * nothing if the content is already the same, so a request can be repeated. The result is exactly the wanted files,
 * even if another version is committed at the same time. Throws `run_active` while a run may change the files.
 */
export async function restoreVersion(
  deps: { records: Records; blobs: Blobs },
  session: SessionLog,
  { version, path, ifVersion, signal }: Wanted,
): Promise<Restored> {
  requireOwnFiles(session.state, "Restore them with git, or rewind the chat.")
  const { manifest } = await requireVersion(deps, session, version, { signal })
  const store = createWorkspaceStore(deps.blobs, lifeOf(session))
  const wanted = await store.readManifest(manifest, { signal })
  for (;;) {
    const { workspace } = session.state
    const busy = notNow(session.state, { version: ifVersion ?? workspace.version })
    if (busy) throw busy
    const now = await store.readManifest(workspace.manifest, { signal })
    const changes = path === undefined ? restoreChanges(now, wanted) : fileChanges(now, wanted, { path, version })
    const previous = workspace.version
    if (changes.length === 0) return { restored: version, version: previous, previous, changed: false }
    const outdated = changedSince(previous)
    try {
      const committed = await commitChanges(deps, session, changes, {
        restores: { version, ...(path !== undefined && { path }) },
        guard:
          (events): Rule =>
          (state) => {
            return notNow(state, { version: ifVersion ?? previous, error: outdated }) ?? events
          },
        signal,
      })
      return { restored: version, version: committed.version, previous, changed: committed.events.length > 0 }
    } catch (error) {
      if (error !== outdated || ifVersion !== undefined) throw error
    }
  }
}

/** Throws if the session's files are in a repository, because its versions then contain only the changed files. */
export function requireOwnFiles({ session }: SessionState, remedy: string): void {
  if (session.repository === null) return
  throw new AppError("invalid_request", `This session's files are in a repository. ${remedy}`)
}

/** Returns the error to throw if the files can't be restored in this state. */
function notNow(
  state: SessionState,
  { version, error = changedSince(version) }: { version: number; error?: AppError },
): AppError | undefined {
  const run = activeRuns(state).find(mayChangeFiles)
  if (run) {
    const message = "A run may still change the files. Wait until it ends or stop it, then restore."
    return new AppError("run_active", message, { run_id: run.runId })
  }
  return state.workspace.version === version ? undefined : error
}

function changedSince(version: number): AppError {
  const message = `The files have changed since version ${version}. Compare the versions again, then restore.`
  return new AppError("workspace_conflict", message, { version })
}

function fileChanges(
  now: Manifest,
  wanted: Manifest,
  { path, version }: { path: WorkspacePath; version: number },
): StoredChange[] {
  const find = ({ files }: Manifest) => files.find((file) => file.path === path)
  const [is, file] = [find(now), find(wanted)]
  if (!file) throw new AppError("workspace_not_found", `Version ${version} doesn't have this file.`, { path })
  const { sha256, size, mode, binary } = file
  if (is?.sha256 === sha256 && is.mode === mode) return []
  return [{ op: "write", path, file: { sha256, size, mode, binary } }]
}
