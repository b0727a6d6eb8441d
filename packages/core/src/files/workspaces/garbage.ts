import { logName, preparedBlob } from "../../kernel/keys.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import type { Log } from "../../log/log.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Clock } from "../../time.ts"
import { createWorkspaceStore } from "./blob-store.ts"

const GRACE_MS = 24 * 60 * 60_000

/**
 * Removes the unreferenced blobs of a workspace: contents and manifests without a commit, archives of old versions or
 * with a verdict, outlines, and archives of set-ups that a lost runner left behind. A blob is removed only if it was
 * last stored more than a day ago. Returns the number of removed blobs. A commit stores every blob that isn't referenced
 * yet, even if the blob exists, so the blobs of a pending commit are recent. Each blob's age is checked again directly
 * before its removal. One race remains: a commit may store a blob that has been unreferenced for more than a day between
 * that check and the removal.
 */
export async function collectGarbage(
  { blobs, log, clock }: { blobs: Blobs; log: Log; clock: Clock },
  session: SessionLog,
  { signal }: { signal: AbortSignal },
): Promise<number> {
  const { incarnation } = (await session.catchUp({ signal })).session
  if (!isLive(session.state)) return 0
  const store = createWorkspaceStore(blobs, { sid: session.sid, incarnation })
  const oldest = clock.now() - GRACE_MS

  // The log is read after the blobs are listed. Otherwise, a blob that is committed in between would be mistaken for
  // garbage.
  const garbage = new Set<string>()
  const prepared = preparedBlob(session.sid, incarnation, "")
  for (const prefix of [...Object.values(store.prefixes), prepared]) {
    for await (const { key, modifiedAt } of blobs.list(prefix, { signal })) if (modifiedAt < oldest) garbage.add(key)
  }
  const { workspace, preview } = await session.catchUp({ signal })
  if (session.state.session.incarnation !== incarnation || !isLive(session.state)) return 0
  garbage.delete(store.archiveKey(workspace.manifest))
  const manifests = new Set(await committedManifests(log, session.sid, signal))
  if (workspace.manifest) manifests.add(workspace.manifest)
  for (const { manifest } of preview.outputs) manifests.add(manifest)
  for (const manifest of manifests) garbage.delete(store.manifestKey(manifest))
  // Read the newest manifests first, and stop once no candidates are left.
  for (const manifest of [...manifests].reverse()) {
    if (![...garbage].some((key) => key.startsWith(store.prefixes.blobs))) break
    const { files } = await store.readManifest(manifest, { signal })
    for (const { sha256 } of files) garbage.delete(store.blobKey(sha256))
  }

  let removed = 0
  for (const key of garbage) {
    const found = await blobs.head(key, { signal })
    if (!found || found.modifiedAt >= oldest) continue
    await blobs.remove(key, { signal })
    removed++
  }
  return removed
}

/** Returns the manifests of the session's current incarnation, in version order. */
async function committedManifests(log: Log, sid: string, signal: AbortSignal): Promise<string[]> {
  let manifests: string[] = []
  for await (const event of log.read(logName(sid), 0, { signal })) {
    if (event.type === "session_opened") manifests = []
    if (event.type === "workspace_committed") manifests.push(event.manifest)
    if (event.type === "chat_files_read" || event.type === "team_files_read") manifests.push(event.manifest)
  }
  return manifests
}
