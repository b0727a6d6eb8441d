import { isAppError } from "../../errors.ts"
import { applyEdit } from "../../files/edits/apply-edit.ts"
import { type EditBlock, editsIn } from "../../files/edits/edit-blocks.ts"
import { openWorkspace, type Workspace } from "../../files/workspaces/files.ts"
import type { Change, Manifest } from "../../files/workspaces/manifest.ts"
import { type WorkspacePath, workspacePath } from "../../files/workspaces/path.ts"
import { editableBytes, MAX_EDITABLE_BYTES } from "../../files/workspaces/text.ts"
import { openSessionLog } from "../../kernel/session-log.ts"
import type { ChatEdit } from "./schema.ts"
import type { ChatDeps, Turn } from "./turn.ts"

/** The step that a commit of edits finishes. */
const EDITS_STEP = "edits"

/**
 * Applies the edits of the turn's answer to the files that the model was shown, and commits them together with their results:
 * all of that is in the log, or none. A file that was changed meanwhile keeps that change, and its edits fail.
 */
export async function applyEdits(deps: ChatDeps, turn: Turn): Promise<ChatEdit[]> {
  const { context, journal } = turn
  const { signal } = context
  const { asked, answered } = journal
  if (!answered || asked.mode === "review") return []
  const { blocks, incomplete } = editsIn(answered.content)
  if (blocks.length + incomplete.length === 0) return []
  const unfinished = incomplete.map((path) => result(path, "failed", "The block was never ended.", "validation_error"))
  const session = await openSessionLog(deps, context.sid, { signal })
  const at = { version: answered.shown_version, manifest: answered.shown_manifest }
  const shown = await openWorkspace(deps, session, { at, signal })
  for (;;) {
    await session.catchUp({ signal })
    const now = await openWorkspace(deps, session, { signal })
    const draft = await draftEdits(blocks, { shown, now, selected: new Set(asked.files), signal })
    const edits = [...draft.edits, ...unfinished]
    const applied = {
      ...{ type: "chat_edits_applied" as const, run_id: context.runId, agent_id: asked.agent_id },
      ...{ request_id: asked.request_id, chat_id: asked.chat_id, edits },
    }
    try {
      if (draft.changes.length === 0) await context.write([applied])
      else await context.commit(draft.changes, EDITS_STEP, { base: now.at, events: [applied] })
      return edits
    } catch (error) {
      // Another version came first: what it changed is looked at again.
      if (!isAppError(error, "workspace_conflict")) throw error
    }
  }
}

interface Draft {
  edits: ChatEdit[]
  changes: Change[]
}

interface EditedFile {
  path: WorkspacePath
  /** Undefined where there is none yet. */
  text: string | undefined
  ifSha256: string | null
  isNew: boolean
  isChanged: boolean
}

async function draftEdits(
  blocks: EditBlock[],
  options: { shown: Workspace; now: Workspace; selected: ReadonlySet<string>; signal: AbortSignal },
): Promise<Draft> {
  const files = new Map<string, EditedFile>()
  const edits: ChatEdit[] = []
  for (const block of blocks) {
    const found = files.get(block.path) ?? (await openFile(block, options))
    if ("status" in found) {
      edits.push(found)
      continue
    }
    files.set(block.path, found)
    edits.push(applyTo(found, block))
  }
  const changes = [...files.values()].flatMap(({ path, text = "", ifSha256, isChanged }): Change[] =>
    isChanged ? [{ op: "write", path, bytes: editableBytes(text, path), ifSha256 }] : [],
  )
  return { edits, changes }
}

/** The file of a block as the model was shown it, or the result of a block that is not even tried. */
async function openFile(
  block: EditBlock,
  {
    shown,
    now,
    selected,
    signal,
  }: { shown: Workspace; now: Workspace; selected: ReadonlySet<string>; signal: AbortSignal },
): Promise<EditedFile | ChatEdit> {
  const reject = (status: ChatEdit["status"], message: string, error: ChatEdit["error_type"]) =>
    rejected(block, status, message, error)
  const path = pathOf(block.path)
  if (path === undefined) return reject("skipped", "This path leaves the workspace, or is none.", "validation_error")
  const node = shown.stat(path)
  if (node?.type === "directory") return reject("failed", "There is a folder at this path.", "validation_error")
  if (node?.binary) return reject("skipped", "This file is not text.", "validation_error")
  if (node && node.size > MAX_EDITABLE_BYTES) return reject("skipped", "This file is too long.", "validation_error")
  const isCreate = block.oldLines.length === 0
  if (node && !isCreate && !selected.has(path)) {
    return reject("not_in_context", "The model was not shown this file. It is selected now.", null)
  }
  const shownSha256 = node?.sha256 ?? null
  if (shaOf(now.manifest, path) !== shownSha256) {
    const text = await now.readText(path, { signal }).catch(() => undefined)
    const holds = text === undefined ? "It is gone now." : `It holds now:\n${text.slice(0, 200)}`
    return reject("failed", `Somebody changed this file meanwhile. ${holds}`, "write_error")
  }
  const text = node ? await shown.readText(path, { signal }) : undefined
  return { path, text, ifSha256: shownSha256, isNew: !node, isChanged: false }
}

function applyTo(file: EditedFile, block: EditBlock): ChatEdit {
  const applied = applyEdit(file.text, block)
  if (applied.status !== "applied") {
    return rejected(block, applied.status, applied.message, applied.status === "failed" ? applied.error : null)
  }
  file.text = applied.text
  file.isChanged = true
  return { ...rejected(block, "applied", applied.message, null), line: applied.line }
}

function rejected(
  { path, oldLines, newLines }: EditBlock,
  status: ChatEdit["status"],
  message: string,
  error: ChatEdit["error_type"],
): ChatEdit {
  const texts = { old_text: oldLines.join("\n"), new_text: newLines.join("\n") }
  return { ...result(path, status, message, error), ...texts, is_create: oldLines.length === 0 }
}

function result(
  file_path: string,
  status: ChatEdit["status"],
  message: string,
  error_type: ChatEdit["error_type"],
): ChatEdit {
  return { file_path, status, message, error_type, is_create: false, old_text: "", new_text: "", line: null }
}

function pathOf(path: string): WorkspacePath | undefined {
  try {
    return workspacePath(path.startsWith("./") ? path.slice(2) : path)
  } catch {
    return undefined
  }
}

function shaOf({ files }: Manifest, path: string): string | null {
  return files.find((file) => file.path === path)?.sha256 ?? null
}
