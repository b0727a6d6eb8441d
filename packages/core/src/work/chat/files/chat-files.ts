import { openWorkspace } from "../../../files/workspaces/files.ts"
import type { WorktreeSnapshot } from "../../../files/worktrees/snapshot-schema.ts"
import { inLiveSession } from "../../../kernel/rules.ts"
import type { SessionHandle } from "../../../kernel/session-handle.ts"
import type { Rule, SessionLog } from "../../../kernel/session-log.ts"
import type { SessionState } from "../../../state.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import type { ChatFiles } from "../request-schema.ts"
import { type RepositoryDeps, readWorktree } from "./repository-files.ts"
import { shownFiles } from "./shown-files.ts"

/** The files that a chat is about, as they are or, in a repository, as they were last read. */
export async function listChatFiles(
  deps: { blobs: Blobs },
  session: Pick<SessionHandle, "sid" | "state">,
  { signal }: { signal: AbortSignal },
): Promise<ChatFiles> {
  const { state } = session
  const { manifest } = await openWorkspace(deps, session, { at: shownFiles(state), signal })
  const files = manifest.files.map(({ path, size, binary }) => ({ path, size, binary }))
  return { files, is_read: isRead(state) }
}

/** Has the files of the session's repository read anew; a worktree is made if there is none. */
export async function refreshChatFiles(
  deps: RepositoryDeps,
  session: SessionLog,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { sid, state } = session
  if (state.session.repository === null) return
  const read = await readWorktree(deps, { sid, state }, { signal })
  await session.decide(inLiveSession(noteReading(read)), { signal })
}

/** Notes the files of a repository as they were read, if they are others than before. */
export function noteReading({ manifest, files, branch, commit }: WorktreeSnapshot): Rule {
  return ({ chat }) => {
    // Files that a rewind writes belong to the moment after it.
    const isKnown = chat.files === manifest || (chat.restore !== null && chat.restore.write !== null)
    return isKnown ? [] : [{ type: "chat_files_read", manifest, files, branch, commit }]
  }
}

function isRead({ session, chat }: SessionState): boolean {
  return session.repository === null || chat.files !== null
}
