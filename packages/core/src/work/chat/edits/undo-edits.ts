import { AppError, type ErrorCode } from "../../../errors.ts"
import type { EventOf } from "../../../events.ts"
import { createWorkspaceStore } from "../../../files/workspaces/blob-store.ts"
import { commitChanges } from "../../../files/workspaces/commit.ts"
import type { Change } from "../../../files/workspaces/manifest.ts"
import { workspacePath } from "../../../files/workspaces/path.ts"
import type { WriteFiles } from "../../../files/worktrees/snapshot-schema.ts"
import { readHistoryBack, type SessionHistory } from "../../../kernel/history.ts"
import type { SessionLog } from "../../../kernel/session-log.ts"
import { hydrateEvent } from "../../../log/payload.ts"
import { readAll } from "../../../storage/blobs.ts"
import type { ChatStores } from "../history/model-history.ts"
import { undoneEdits } from "../rules.ts"
import type { ChangedFile, FilesChange } from "../schema.ts"

type UndoneChange = FilesChange & { kind: "undo" }

interface Options {
  signal: AbortSignal
}

/** Logged edits of an answer. */
interface Edits {
  chatId: string
  requestId: string
  files: ChangedFile[]
  message: string
}

/** Errors that mean that a file has changed since the answer. */
const CHANGED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "worktree_conflict",
  "workspace_conflict",
  "workspace_not_found",
])

/**
 * Undoes all edits of an answer by creating a new version of the session's files. Throws if one of the files has
 * changed since the answer. Idempotent.
 */
export async function undoEdits(
  deps: ChatStores,
  session: SessionLog,
  requestId: string,
  options: Options,
): Promise<void> {
  const edits = await findUndoable(deps, session, requestId, options)
  if (!edits) return
  try {
    await undoVersion(deps, session, edits, options)
  } catch (error) {
    throw changedSince(error, pathsOf(edits))
  }
}

/**
 * Returns an answer's edits to undo, or undefined if they have already been undone. Throws while a turn is active, and
 * throws `not_found` if the answer has no edits.
 */
export async function findUndoable(
  deps: ChatStores,
  session: SessionHistory,
  requestId: string,
  options: Options,
): Promise<Edits | undefined> {
  const edits = await findEdits(deps, session, requestId, options)
  const verdict = undoneEdits({ ...edits, paths: pathsOf(edits) })(session.state)
  if (verdict instanceof AppError) throw verdict
  return verdict.length === 0 ? undefined : edits
}

/**
 * Returns the command that undoes an answer's edits in a repository, and the corresponding change to the chat. Throws
 * `not_found` if the answer has no edits.
 */
export async function planUndo(
  deps: ChatStores,
  session: SessionHistory,
  requestId: string,
  options: Options,
): Promise<{ change: UndoneChange; files: WriteFiles }> {
  const edits = await findEdits(deps, session, requestId, options)
  const files = edits.files.map(({ path, before, after }) => ({ path, sha256: before, if_sha256: after }))
  const change = { kind: "undo" as const, chat_id: edits.chatId, request_id: requestId, files: pathsOf(edits) }
  return { change, files: { message: `Undo: ${edits.message}`, restores: true, files } }
}

/**
 * If an undo failed because files have changed since the answer, returns an error that names these files. Otherwise,
 * returns the error unchanged.
 */
export function changedSince(error: unknown, files: readonly string[]): unknown {
  if (!(error instanceof AppError && CHANGED.has(error.code))) return error
  const { code, details } = error
  const paths = Array.isArray(details?.paths) ? details.paths : [details?.path]
  const changed = files.filter((path) => paths.includes(path))
  if (changed.length === 0) return error
  const were = changed.length === 1 ? "was" : "were"
  return new AppError(code, `${changed.join(", ")} ${were} changed after this answer, so the edits can't be undone.`, {
    paths: changed,
  })
}

async function findEdits(
  deps: ChatStores,
  session: SessionHistory,
  requestId: string,
  options: Options,
): Promise<Edits> {
  for await (const event of readHistoryBack(deps, session, "chat", options)) {
    if (event.type !== "chat_edits_applied" || event.request_id !== requestId || !event.files) continue
    const found = (await hydrateEvent(deps.blobs, event, options)) as EventOf<"chat_edits_applied">
    const message = found.commit_message ?? "the edits of an answer"
    return { chatId: found.chat_id, requestId, files: found.files as ChangedFile[], message }
  }
  throw new AppError("not_found", "This answer has no edits to undo.", { request_id: requestId })
}

function pathsOf({ files }: Edits): string[] {
  return files.map(({ path }) => path)
}

async function undoVersion(
  { blobs }: ChatStores,
  session: SessionLog,
  edits: Edits,
  { signal }: Options,
): Promise<void> {
  const store = createWorkspaceStore(blobs, { sid: session.sid, incarnation: session.state.session.incarnation })
  const toChange = async ({ path, before, after }: ChangedFile): Promise<Change> => {
    const at = workspacePath(path)
    if (before === null) return { op: "delete", path: at, ifSha256: after }
    return { op: "write", path: at, bytes: await readAll(await store.read(before, { signal })), ifSha256: after }
  }
  const rule = undoneEdits({ ...edits, paths: pathsOf(edits) })
  await commitChanges({ blobs }, session, await Promise.all(edits.files.map(toChange)), {
    guard: (events) => (state) => {
      const verdict = rule(state)
      return verdict instanceof AppError || verdict.length === 0 ? verdict : [...events, ...verdict]
    },
    signal,
  })
}
