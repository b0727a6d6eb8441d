import { type AppError, isAppError } from "../../../errors.ts"
import { editsIn } from "../../../files/edits/answer-edits.ts"
import { openWorkspace, type Workspace } from "../../../files/workspaces/files.ts"
import type { Change } from "../../../files/workspaces/manifest.ts"
import { openSessionLog, type SessionLog } from "../../../kernel/session-log.ts"
import type { ChatEdit } from "../schema.ts"
import type { TurnJournal } from "../turn/journal.ts"
import type { ChatDeps, Turn } from "../turn/turn.ts"
import { commitEdits } from "./commit-edits.ts"
import { changedFiles, type DraftedEdit, type DraftedEdits, draftEdits } from "./draft-edits.ts"

const EDITS_STEP = "edits"

/**
 * Applies an answer's edits to the files as they were shown to the model, and commits them atomically with their
 * results. If a file has changed since it was shown, that change is kept, and the edits to the file fail.
 */
export async function applyEdits(deps: ChatDeps, turn: Turn): Promise<ChatEdit[]> {
  const { context, journal } = turn
  const { signal } = context
  const { asked, answered } = journal
  if (!answered || asked.mode === "review") return []
  const session = await openSessionLog(deps, context.sid, { signal })
  const shown = await shownWorkspace(deps, session, turn)
  const answer = editsOf(journal, shown)
  if (answer.edits.length === 0) return []
  if (session.state.session.repository !== null) return commitEdits(deps, turn, { session, shown }, answer)
  const selected = new Set([...asked.files, ...(answered.added_files ?? [])])
  const message = asked.content
  const blocked = new Map<string, string>()
  for (;;) {
    await session.catchUp({ signal })
    const now = await openWorkspace(deps, session, { signal })
    const { edits, changes } = await draftEdits(answer.edits, { shown, now, selected, message, blocked, signal })
    const applied = {
      ...{ type: "chat_edits_applied" as const, ...turn.ids, edits },
      ...(changes.length > 0 && { files: changedFiles(changes) }),
    }
    try {
      if (changes.length === 0) await context.write([applied])
      else await context.commit(changes, EDITS_STEP, { base: now.at, events: [applied] })
      return edits
    } catch (error) {
      if (!isAppError(error, "workspace_conflict")) throw error
      await session.catchUp({ signal })
      // If another commit came first, retry on top of it. Otherwise, the answer's own changes conflict, so leave out the
      // one that can't be written.
      if (session.state.workspace.version === now.at.version) blockOne(blocked, changes, error)
    }
  }
}

/** Returns the files as shown to a turn's model. */
export function shownWorkspace(deps: ChatDeps, session: SessionLog, { context, journal }: Turn): Promise<Workspace> {
  const { shown_version: version = 0, shown_manifest: manifest = null } = journal.answered ?? {}
  return openWorkspace(deps, session, { at: { version, manifest }, signal: context.signal })
}

interface AnsweredTurn {
  asked: Pick<TurnJournal["asked"], "content">
  answered: Pick<
    NonNullable<TurnJournal["answered"]>,
    "content" | "finish_reason" | "added_files" | "continued_at"
  > | null
}

/**
 * Returns the edits in a turn's answer, or no edits if there is no answer. If the answer was continued after more files
 * were added, marks its earlier edits to these files, because the model hadn't seen the files.
 */
export function editsOf({ asked, answered }: AnsweredTurn, shown: Workspace): DraftedEdits {
  const paths = new Set<string>(shown.manifest.files.map(({ path }) => path))
  const { content = "", finish_reason, added_files: added = [], continued_at: at = 0 } = answered ?? {}
  const about = { isKnown: (path: string) => paths.has(path), showsPatches: /\b(?:diff|patch)/i.test(asked.content) }
  const last = editsIn(content.slice(at), { ...about, isCut: finish_reason === "max_tokens" })
  if (at === 0) return last
  const pathIn = ({ block: { path } }: DraftedEdit) => (path.startsWith("./") ? path.slice(2) : path)
  const repeated = new Set(last.edits.map(pathIn))
  const first = editsIn(content.slice(0, at), about)
  const edits = first.edits.map((edit): DraftedEdit => {
    const path = pathIn(edit)
    return added.includes(path) ? { ...edit, unseen: repeated.has(path) ? "repeated" : "given_up" } : edit
  })
  return { edits: [...edits, ...last.edits], unreadable: first.unreadable + last.unreadable }
}

/** Blocks the file named by the conflict. If the conflict names no file, blocks all files, which ends the retries. */
function blockOne(blocked: Map<string, string>, changes: readonly Change[], { message, details }: AppError): void {
  const named = [details?.path, details?.other]
  const culprit = changes.findLast(({ path }) => named.includes(path))
  for (const { path } of culprit ? [culprit] : changes) blocked.set(path, message)
}
