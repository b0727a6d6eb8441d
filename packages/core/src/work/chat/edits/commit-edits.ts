import { AppError, type ErrorCode } from "../../../errors.ts"
import { createWorkspaceStore } from "../../../files/workspaces/blob-store.ts"
import type { Workspace } from "../../../files/workspaces/files.ts"
import type { Change } from "../../../files/workspaces/manifest.ts"
import { putContents, splitContents } from "../../../files/workspaces/stored-changes.ts"
import type { WriteFiles } from "../../../files/worktrees/snapshot-schema.ts"
import type { SessionLog } from "../../../kernel/session-log.ts"
import { readFiles, writeOnce } from "../files/repository-files.ts"
import type { ChangedFile, ChatEdit } from "../schema.ts"
import type { ChatDeps, Turn } from "../turn/turn.ts"
import { writeCommitMessage } from "./commit-message.ts"
import { changedFiles, type DraftedEdits, draftEdits } from "./draft-edits.ts"

/** Errors after which certainly nothing was written. They fail the edits, but not the turn. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(["setup_failed", "worktree_conflict", "worktree_busy", "worktree_not_found", "worktree_damaged"] as const),
  ...(["command_expired", "command_interrupted", "git_error", "repository_error", "agents_unavailable"] as const),
])

/**
 * Applies an answer's edits to the repository's worktree in a single commit. The command's ID is derived from the run,
 * so that an executor that takes over the run finds the command's outcome instead of running the command again.
 */
export async function commitEdits(
  deps: ChatDeps,
  turn: Turn,
  { session, shown }: { session: SessionLog; shown: Workspace },
  answer: DraftedEdits,
): Promise<ChatEdit[]> {
  const { context, journal } = turn
  const { signal } = context
  const { asked } = journal
  const selected = new Set([...asked.files, ...(journal.answered?.added_files ?? [])])
  const blocked = new Map<string, string>()
  let commit: string | null = null
  let message: string | undefined
  let edits: ChatEdit[] = []
  let written: ChangedFile[] = []
  for (let attempt = 1; ; attempt++) {
    const draft = await draftEdits(answer.edits, {
      shown,
      now: shown,
      selected,
      message: asked.content,
      blocked,
      signal,
    })
    edits = draft.edits
    if (draft.changes.length === 0) break
    try {
      message ??= await writeCommitMessage(deps, turn, edits)
      const files = await storeFiles(deps, session, draft.changes, signal)
      const request = { commandId: `${context.runId}-edits-${attempt}`, write: { message, files } }
      commit = (await writeOnce(deps, context, request)).commit
      written = changedFiles(draft.changes)
      break
    } catch (error) {
      if (!(error instanceof AppError && REFUSALS.has(error.code))) throw error
      blockAll(blocked, draft.changes, error)
    }
  }
  const committed = { commit, ...(commit !== null && { commit_message: message, files: written }) }
  await context.write([{ type: "chat_edits_applied", ...turn.ids, edits, ...committed }])
  if (commit !== null) await readFiles(deps, turn)
  return edits
}

async function storeFiles(
  { blobs }: ChatDeps,
  { sid, state }: SessionLog,
  changes: Change[],
  signal: AbortSignal,
): Promise<WriteFiles["files"]> {
  const store = createWorkspaceStore(blobs, { sid, incarnation: state.session.incarnation })
  const { stored, contents } = splitContents(changes)
  await putContents(store, contents, signal)
  return stored.flatMap((change) => {
    if (change.op !== "write") return []
    const { path, file, ifSha256 = null } = change
    const isNewScript = ifSha256 === null && file.isScript
    return [{ path, sha256: file.sha256, if_sha256: ifSha256, ...(isNewScript && { executable: true }) }]
  })
}

/** Blocks the files named by the error. If the error names no files, blocks all files, which ends the retries. */
function blockAll(blocked: Map<string, string>, changes: readonly Change[], { message, details }: AppError): void {
  const paths = Array.isArray(details?.paths) ? details.paths : []
  const reasons = new Map(Object.entries(details?.reasons ?? {}))
  const named = changes.filter(({ path }) => paths.includes(path))
  for (const { path } of named.length > 0 ? named : changes) {
    const reason = reasons.get(path) ?? "This file has been changed in the meantime."
    blocked.set(path, named.length > 0 ? `${reason}` : message)
  }
}
