import { openWorkspace } from "../../../files/workspaces/files.ts"
import type { SessionHandle } from "../../../kernel/session-handle.ts"
import type { SessionState } from "../../../state.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import type { ChatFiles } from "../request-schema.ts"
import { shownFiles } from "./shown-files.ts"

/** Lists a chat's files. In a repository, these are the files as they were last read. */
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

function isRead({ session, chat }: SessionState): boolean {
  return session.repository === null || chat.files !== null
}
