import { AppError } from "../../errors.ts"
import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { commitChanges } from "../../files/workspaces/commit.ts"
import { restoreChanges } from "../../files/workspaces/compare.ts"
import type { WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import { readHistory } from "../../kernel/history.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import { resetFiles } from "../../work/chat/rules.ts"

/**
 * Restores a session's files to its last commit, or to their first version if there is no commit. Creates a new
 * version.
 */
export async function resetToCommit(
  deps: { records: Records; blobs: Blobs },
  session: SessionLog,
  options: { signal: AbortSignal },
): Promise<void> {
  const { sid, state } = session
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation: state.session.incarnation })
  const wanted = state.chat.committed ?? (await firstVersion(deps, session, options))
  const [now, then] = await Promise.all([
    store.readManifest(state.workspace.manifest, options),
    store.readManifest(wanted.manifest, options),
  ])
  const changes = restoreChanges(now, then)
  if (changes.length === 0) return
  const rule = inLiveSession(resetFiles())
  await commitChanges(deps, session, changes, {
    base: state.workspace,
    restores: { version: wanted.version },
    guard: (events) => (current) => {
      const verdict = rule(current)
      return verdict instanceof AppError ? verdict : [...events, ...verdict]
    },
    ...options,
  })
}

async function firstVersion(
  deps: { records: Records },
  session: SessionLog,
  options: { signal: AbortSignal },
): Promise<WorkspaceVersion> {
  for await (const { version, manifest } of readHistory(deps, session, "versions", options))
    return { version, manifest }
  return { version: 0, manifest: null }
}
