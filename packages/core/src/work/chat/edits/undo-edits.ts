import { AppError, type ErrorCode } from "../../../errors.ts"
import type { EventOf } from "../../../events.ts"
import { createWorkspaceStore } from "../../../files/workspaces/blob-store.ts"
import { commitChanges } from "../../../files/workspaces/commit.ts"
import type { Change } from "../../../files/workspaces/manifest.ts"
import { workspacePath } from "../../../files/workspaces/path.ts"
import { WrittenFiles } from "../../../files/worktrees/snapshot-schema.ts"
import { readHistoryBack } from "../../../kernel/history.ts"
import { inLiveSession } from "../../../kernel/rules.ts"
import type { SessionLog } from "../../../kernel/session-log.ts"
import { hydrateEvent } from "../../../log/payload.ts"
import { type Blobs, readAll } from "../../../storage/blobs.ts"
import type { Records } from "../../../storage/records.ts"
import { refreshChatFiles } from "../files/chat-files.ts"
import { type RepositoryDeps, sendCommand } from "../files/repository-files.ts"
import { undoneEdits } from "../rules.ts"
import type { ChangedFile } from "../schema.ts"

interface Deps extends RepositoryDeps {
  records: Records
  blobs: Blobs
}

interface Options {
  signal: AbortSignal
}

/** The edits of one answer, as the log has them. */
interface Edits {
  chatId: string
  requestId: string
  files: ChangedFile[]
  message: string
}

/** The errors that say that a file is no longer as the answer left it. */
const CHANGED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "worktree_conflict",
  "workspace_conflict",
  "workspace_not_found",
])

/**
 * Takes the edits of an answer back, all of them or none, in a new version of the files or, in a repository, as a commit. It is
 * refused where one of the files was changed since. What is undone already stays so: a repeated call changes nothing.
 */
export async function undoEdits(deps: Deps, session: SessionLog, requestId: string, options: Options): Promise<void> {
  const edits = await findEdits(deps, session, requestId, options)
  const verdict = undoneEdits({ ...edits, commit: null })(session.state)
  if (verdict instanceof AppError) throw verdict
  if (verdict.length === 0) return
  const isRepository = session.state.session.repository !== null
  try {
    await (isRepository ? undoCommit : undoVersion)(deps, session, edits, options)
  } catch (error) {
    throw error instanceof AppError && CHANGED.has(error.code) ? refusal(error, edits) : error
  }
}

async function findEdits(deps: Deps, session: SessionLog, requestId: string, options: Options): Promise<Edits> {
  for await (const event of readHistoryBack(deps, session, "chat", options)) {
    if (event.type !== "chat_edits_applied" || event.request_id !== requestId || !event.files) continue
    const found = (await hydrateEvent(deps.blobs, event, options)) as EventOf<"chat_edits_applied">
    const message = found.commit_message ?? "the edits of an answer"
    return { chatId: found.chat_id, requestId, files: found.files as ChangedFile[], message }
  }
  throw new AppError("not_found", "This answer has no edits that could be undone.", { request_id: requestId })
}

async function undoVersion({ blobs }: Deps, session: SessionLog, edits: Edits, { signal }: Options): Promise<void> {
  const store = createWorkspaceStore(blobs, { sid: session.sid, incarnation: session.state.session.incarnation })
  const toChange = async ({ path, before, after }: ChangedFile): Promise<Change> => {
    const at = workspacePath(path)
    if (before === null) return { op: "delete", path: at, ifSha256: after }
    return { op: "write", path: at, bytes: await readAll(await store.read(before, { signal })), ifSha256: after }
  }
  const rule = undoneEdits({ ...edits, commit: null })
  await commitChanges({ blobs }, session, await Promise.all(edits.files.map(toChange)), {
    guard: (events) => (state) => {
      const verdict = rule(state)
      return verdict instanceof AppError || verdict.length === 0 ? verdict : [...events, ...verdict]
    },
    signal,
  })
}

/** Files that are back already are left as they are, so whoever finds an undo that was never told of ends it. */
async function undoCommit(deps: Deps, session: SessionLog, edits: Edits, { signal }: Options): Promise<void> {
  const files = edits.files.map(({ path, before, after }) => ({ path, sha256: before, if_sha256: after }))
  const command = { command: "write" as const, message: `Undo: ${edits.message}`, files }
  const request = { sid: session.sid, commandId: deps.newId("cmd"), command }
  const { commit } = WrittenFiles.parse(await sendCommand(deps, request, { signal }))
  // It is done, whatever was asked meanwhile.
  await session.decide(inLiveSession(undoneEdits({ ...edits, commit, isDone: true })), { signal })
  await refreshChatFiles(deps, session, { signal })
}

function refusal({ code, message, details }: AppError, { files }: Edits): AppError {
  const paths = Array.isArray(details?.paths) ? details.paths : [details?.path]
  const changed = files.flatMap(({ path }) => (paths.includes(path) ? [path] : []))
  if (changed.length === 0) return new AppError(code, message, details)
  const were = changed.length === 1 ? "was" : "were"
  return new AppError(code, `${changed.join(", ")} ${were} changed after this answer, so its edits can't be undone.`, {
    paths: changed,
  })
}
