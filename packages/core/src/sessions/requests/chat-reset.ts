import { AppError } from "../../errors.ts"
import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { commitChanges } from "../../files/workspaces/commit.ts"
import { restoreChanges } from "../../files/workspaces/compare.ts"
import { logName } from "../../kernel/keys.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { Log } from "../../log/log.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { resetFiles } from "../../work/chat/rules.ts"

/** Restores a session's files to its last commit, or else to their first version. The result is a new version. */
export async function resetToCommit(
  deps: { log: Log; blobs: Blobs },
  session: SessionLog,
  options: { signal: AbortSignal },
): Promise<void> {
  const { sid, state } = session
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation: state.session.incarnation })
  const wanted = state.chat.committed?.manifest ?? (await firstManifest(deps, session, options))
  const [now, then] = await Promise.all([
    store.readManifest(state.workspace.manifest, options),
    store.readManifest(wanted, options),
  ])
  const changes = restoreChanges(now, then)
  if (changes.length === 0) return
  const rule = inLiveSession(resetFiles())
  await commitChanges(deps, session, changes, {
    base: state.workspace,
    guard: (events) => (current) => {
      const verdict = rule(current)
      return verdict instanceof AppError ? verdict : [...events, ...verdict]
    },
    ...options,
  })
}

async function firstManifest(
  { log }: { log: Log },
  { sid, state }: SessionLog,
  options: { signal: AbortSignal },
): Promise<string | null> {
  for await (const event of log.read(logName(sid), (state.session.since?.seq ?? 1) - 1, options)) {
    if (event.type === "workspace_committed") return event.manifest
    if (event.seq >= state.head) break
  }
  return null
}
