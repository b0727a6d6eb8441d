import { AppError } from "../../../errors.ts"
import { compareManifests } from "../../../files/workspaces/compare.ts"
import { openWorkspace, type Workspace } from "../../../files/workspaces/files.ts"
import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import { FullDiff } from "../../../files/worktrees/diff-schema.ts"
import { MAIN_WORKTREE } from "../../../files/worktrees/names-schema.ts"
import { WorktreeStatus } from "../../../files/worktrees/schema.ts"
import { worktreeOf } from "../../../files/worktrees/state.ts"
import { openSessionLog, type SessionLog } from "../../../kernel/session-log.ts"
import { commitMessageFor } from "../edits/commit-message.ts"
import { changedLines } from "../edits/diff-text.ts"
import { sendCommand, writeOnce } from "../files/repository-files.ts"
import { shownFiles } from "../files/shown-files.ts"
import { answered } from "./answered.ts"
import type { ChatDeps, Turn } from "./turn.ts"

/**
 * Limits for the changes shown to the model that writes the commit message: characters per file, and number of files.
 */
const MAX_FILE_CHARS = 2000
const MAX_FILES = 20

/** Usage of a turn that calls no model. */
const UNASKED = { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, estimatedTokens: 0 }

/**
 * Commits a session's files. The commit message, either given or written by a small model, becomes the turn's answer.
 * The turn fails if there is nothing to commit or if the model doesn't write a message.
 */
export async function commitFiles(deps: ChatDeps, turn: Turn): Promise<void> {
  const { context, journal } = turn
  const session = await openSessionLog(deps, context.sid, { signal: context.signal })
  if (!journal.answered) await answerWithMessage(deps, turn, session)
  if (!journal.isCommitted) await commit(deps, turn, session)
  // A commit message contains no edits, even if its text looks like an edit.
  journal.edits ??= []
}

async function answerWithMessage(deps: ChatDeps, turn: Turn, session: SessionLog): Promise<void> {
  const { context, journal } = turn
  const isRepository = session.state.session.repository !== null
  const changes = await (isRepository ? changesInWorktree : changesSinceCommit)(deps, turn, session)
  if (changes === "") throw nothingToCommit()
  const given = journal.asked.commit?.message
  const written = given ? { ...UNASKED, text: given } : await commitMessageFor(deps, turn, changes)
  const { estimatedTokens, ...completion } = written
  const shown = { shown: shownFiles(session.state), droppedFiles: [], estimatedTokens }
  const event = answered(turn, { ...completion, shown, finish_reason: "end", cancelled: false })
  await context.record([event])
  journal.answered = { ...event, event_id: "", seq: context.state().head, ts: "" }
}

function nothingToCommit(): AppError {
  const hint = "Ask for a change first, or make one in the editor."
  return new AppError("invalid_request", "There is nothing to commit, because no file has changed.", { hint })
}

async function commit(deps: ChatDeps, turn: Turn, session: SessionLog): Promise<void> {
  const { context, journal } = turn
  const message = journal.answered?.content ?? ""
  await session.catchUp({ signal: context.signal })
  const isRepository = session.state.session.repository !== null
  const request = { commandId: `${context.runId}-commit`, write: { message, files: [] } }
  const made = isRepository ? (await writeOnce(deps, context, request)).commit : null
  const { version, manifest } = shownFiles(session.state)
  await context.write([{ type: "chat_committed", ...turn.ids, message, version, manifest, commit: made }])
  journal.isCommitted = true
}

/** Describes the session's changes since the last commit, including file contents. */
async function changesSinceCommit(deps: ChatDeps, { context }: Turn, session: SessionLog): Promise<string> {
  const { signal } = context
  const before = session.state.chat.committed ?? { version: 0, manifest: null }
  const [old, now] = await Promise.all([
    openWorkspace(deps, session, { at: before, signal }),
    openWorkspace(deps, session, { signal }),
  ])
  const { added, removed, changed, renamed } = compareManifests(old.manifest, now.manifest)
  const names = [
    ...renamed.map(({ from, to }) => `renamed ${from} to ${to}`),
    ...removed.map((path) => `deleted ${path}`),
    ...added.map((path) => `added ${path}`),
    ...changed.map((path) => `changed ${path}`),
  ]
  const text = async (workspace: Workspace, path: WorkspacePath) =>
    (await workspace.readText(path, { signal }).catch(() => "")).slice(0, MAX_FILE_CHARS)
  const shown = [...changed, ...added].slice(0, MAX_FILES).map(async (path) => {
    const earlier = changed.includes(path) ? `--- before\n${await text(old, path)}\n` : ""
    return `${path}\n${earlier}--- after\n${await text(now, path)}`
  })
  return names.length === 0 ? "" : [names.join("\n"), ...(await Promise.all(shown))].join("\n\n")
}

/** Describes the uncommitted changes in the repository's worktree. Empty if there are none. */
async function changesInWorktree(deps: ChatDeps, { context }: Turn, session: SessionLog): Promise<string> {
  const { sid, signal } = context
  const ask = (query: { question: "status" } | { question: "full_diff"; compare_branch: string }) =>
    context.awaitExternal(() => sendCommand(deps, { sid, commandId: deps.newId("cmd"), command: query }, { signal }))
  if (!worktreeOf(session.state, MAIN_WORKTREE).exists) return ""
  const { branch, uncommitted } = WorktreeStatus.parse(await ask({ question: "status" }))
  if (!uncommitted || branch === null) return ""
  const { files, summary } = FullDiff.parse(await ask({ question: "full_diff", compare_branch: branch }))
  return [summary, ...files.map((file) => `${file.new_path}\n${changedLines(file)}`)].join("\n\n")
}
