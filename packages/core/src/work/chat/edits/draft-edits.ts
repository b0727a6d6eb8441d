import { isAppError } from "../../../errors.ts"
import type { AnswerEdits } from "../../../files/edits/answer-edits.ts"
import { applyEdit } from "../../../files/edits/apply-edit.ts"
import type { EditBlock } from "../../../files/edits/edit-blocks.ts"
import { isProtectedName } from "../../../files/start-files.ts"
import { sha256Of } from "../../../files/workspaces/blob-store.ts"
import type { Workspace } from "../../../files/workspaces/files.ts"
import type { Change, Manifest } from "../../../files/workspaces/manifest.ts"
import { type WorkspacePath, workspacePathIfValid } from "../../../files/workspaces/path.ts"
import { editableBytes, MAX_EDITABLE_BYTES } from "../../../files/workspaces/text.ts"
import { findTwin, inTwinFolder } from "../../../files/workspaces/twins.ts"
import { checkFileInThread } from "../../checks/in-thread.ts"
import { withoutOuterFence } from "../../checks/text/outer-fence.ts"
import { isNewAfter } from "../../checks/workspace-faults.ts"
import type { ChangedFile, ChatEdit } from "../schema.ts"

/** Outcome of applying an answer's edits: the changes to files, and the result of each edit. */
export interface Draft {
  edits: ChatEdit[]
  changes: Change[]
}

/** An edit in an answer. */
export type DraftedEdit = AnswerEdits["edits"][number] & {
  /**
   * Set if the model made the edit before it had seen the file. The value says whether the model repeated the edit
   * after seeing the file.
   */
  unseen?: "repeated" | "given_up"
}

/** Edits of an answer, in order, and the number of edits that couldn't be parsed. */
export type DraftedEdits = Omit<AnswerEdits, "edits"> & { edits: DraftedEdit[] }

export interface DraftOptions {
  /** Files as they were shown to the model, and as they are now. */
  shown: Workspace
  now: Workspace
  selected: ReadonlySet<string>
  /**
   * The person's message. A model may change a protected file only if the person selected the file or named it in the
   * message.
   */
  message: string
  /** Reasons why files can't be written, by path. */
  blocked: ReadonlyMap<string, string>
  signal: AbortSignal
}

interface EditedFile {
  path: WorkspacePath
  /** Text that was shown to the model. Undefined if the file didn't exist then. */
  before: string | undefined
  /** Current text. Undefined if the file doesn't exist yet. */
  text: string | undefined
  ifSha256: string | null
  /** Bytes of the new text. Undefined until an edit is applied. */
  bytes?: Uint8Array
  /** Texts of the edit blocks applied so far. */
  applied: Set<string>
}

/**
 * Maximum number of characters compared per answer. Further edits are rejected. Each edit is compared with its whole
 * file, and the path of each edited file with all paths.
 */
const MAX_COMPARED = 50_000_000

/**
 * Maximum number of characters compared per answer to find the lines most similar to missing lines. Each missing line
 * is compared with each line of its file.
 */
const MAX_LIKENED = 20_000_000

/** Applies each edit to the result of the previous one. Writes nothing. */
export async function draftEdits(answered: readonly DraftedEdit[], options: DraftOptions): Promise<Draft> {
  const files = new Map<string, EditedFile>()
  const edits: ChatEdit[] = []
  let compared = 0
  let likened = 0
  for (const { block: written, problem, unseen } of answered) {
    if (unseen === "repeated") {
      edits.push(rejected(written, "already_applied", REPEATED, null))
      continue
    }
    if (unseen === "given_up") {
      edits.push(rejected(written, "not_in_context", UNSEEN, null))
      continue
    }
    if (problem !== undefined || compared > MAX_COMPARED) {
      edits.push(rejected(written, "failed", problem ?? TOO_MANY, "validation_error"))
      continue
    }
    const path = pathOf(written.path, options.shown)
    const block = path === undefined ? written : { ...written, path }
    const known = path && files.get(path)
    const found = known ?? (await openFile(block, path, options))
    if (!known) compared += options.shown.manifest.files.length
    if ("status" in found) {
      edits.push(found)
      continue
    }
    compared += found.text?.length ?? 0
    files.set(found.path, found)
    const edit = applyTo(found, block, { selected: options.selected, quotesNearest: likened <= MAX_LIKENED })
    if (edit.error_type === "anchor_not_found") likened += (found.text?.length ?? 0) * block.oldLines.length
    edits.push(edit)
  }
  const changes = [...files.values()].flatMap(({ path, bytes, ifSha256 }): Change[] =>
    bytes ? [{ op: "write", path, bytes, ifSha256 }] : [],
  )
  return { edits: await withFaults(edits, files.values()), changes }
}

const UNSEEN = "The model hadn't seen this file. It is now selected."
const REPEATED = "The model hadn't seen this file. The answer edits it again below."
const TOO_MANY = "The answer has too many edits for files of this size. Repeat this one in another answer."
const MAX_FAULTS = 10

/**
 * Adds the new faults of a file to the last edit of that file, because later edits may fix the faults of earlier ones.
 */
async function withFaults(edits: readonly ChatEdit[], files: Iterable<EditedFile>): Promise<ChatEdit[]> {
  const told = [...edits]
  for (const { path, before, text, bytes } of files) {
    if (!bytes || text === undefined) continue
    const faults = await newFaults(path, { text, before })
    const last = told.findLastIndex(({ file_path, status }) => file_path === path && status === "applied")
    const edit = told[last]
    if (faults.length > 0 && edit) told[last] = { ...edit, faults: faults.slice(0, MAX_FAULTS) }
  }
  return told
}

async function newFaults(
  path: WorkspacePath,
  { text, before }: { text: string; before: string | undefined },
): Promise<string[]> {
  const found = await checkFileInThread({ path, text, ...(before !== undefined && { before }) })
  if (found.length === 0) return []
  const known = before === undefined ? [] : await checkFileInThread({ path, text: before })
  return found.filter(isNewAfter(known)).map(({ message }) => message)
}

/** Returns the files written by the changes, with their hashes before and after. */
export function changedFiles(changes: readonly Change[]): ChangedFile[] {
  return changes.flatMap((change) =>
    "bytes" in change ? [{ path: change.path, before: change.ifSha256 ?? null, after: sha256Of(change.bytes) }] : [],
  )
}

/**
 * Opens a block's file as it was shown to the model. If the block must be rejected, returns the block's result instead.
 */
async function openFile(
  block: EditBlock,
  path: WorkspacePath | undefined,
  { shown, now, selected, message, blocked, signal }: DraftOptions,
): Promise<EditedFile | ChatEdit> {
  const reject = (status: ChatEdit["status"], why: string, error: ChatEdit["error_type"]) =>
    rejected(block, status, why, error)
  if (path === undefined) return reject("skipped", "This path is invalid or outside the workspace.", "validation_error")
  const obstacle = blocked.get(path)
  if (obstacle !== undefined) return reject("failed", obstacle, "validation_error")
  if (!selected.has(path) && isUnasked(path, message)) return reject("skipped", PROTECTED, null)
  const node = shown.stat(path)
  if (node?.type === "directory") return reject("failed", "This path is a folder.", "validation_error")
  if (node?.binary) return reject("skipped", "This isn't a text file.", "validation_error")
  if (node && node.size > MAX_EDITABLE_BYTES) return reject("skipped", "This file is too long.", "validation_error")
  const isCreate = block.oldLines.length === 0
  if (node && !isCreate && !selected.has(path)) {
    return reject("not_in_context", UNSEEN, null)
  }
  const shownSha256 = node?.sha256 ?? null
  if (shaOf(now.manifest, path) !== shownSha256) {
    const text = await now.readText(path, { signal }).catch(() => undefined)
    const holds = text === undefined ? "It no longer exists." : `It now contains:\n${text.slice(0, 200)}`
    return reject("failed", `This file has been changed in the meantime. ${holds}`, "write_error")
  }
  const text = node ? await shown.readText(path, { signal }) : undefined
  return { path, before: text, text, ifSha256: shownSha256, applied: new Set() }
}

const PROTECTED =
  "This file wasn't written, because it can start programs or instruct agents. To allow it, select the file or name it in a message."

/**
 * Returns true if a file is protected, and the person's message names neither the file nor a protected folder that
 * contains it.
 */
function isUnasked(path: string, message: string): boolean {
  const names = path.split("/")
  const at = names.findIndex(isProtectedName)
  if (at === -1) return false
  const words = message.split(/[\s"'`()[\]{},;:!?<>]/).map((word) => (word.startsWith("./") ? word.slice(2) : word))
  const around = names.slice(at).map((_, index) => names.slice(0, at + index + 1).join("/"))
  const named = [...around, names.at(-1) ?? ""].flatMap((name) => [name, `${name}/`, `${name}.`])
  return !named.some((name) => words.includes(name))
}

function applyTo(
  file: EditedFile,
  block: EditBlock,
  { selected, quotesNearest }: { selected: ReadonlySet<string>; quotesNearest: boolean },
): ChatEdit {
  const { oldLines, newLines } = block
  const texts = JSON.stringify([oldLines, newLines])
  // Models sometimes repeat an edit. A repeated insertion would insert the text twice.
  if (file.applied.has(texts)) {
    return rejected(block, "already_applied", "The answer contains this edit twice. It was applied once.", null)
  }
  const applied = applyEdit(file.text, oldLines.length === 0 ? unfenced(block) : block, { quotesNearest })
  if (applied.status === "failed" && oldLines.length === 0 && file.before !== undefined && !selected.has(file.path)) {
    const message = "This file exists, but the model hadn't seen it. It is now selected."
    return rejected(block, "not_in_context", message, null)
  }
  if (applied.status !== "applied") {
    return rejected(block, applied.status, applied.message, applied.status === "failed" ? applied.error : null)
  }
  const bytes = bytesOr(applied.text, file.path)
  if (typeof bytes === "string") return rejected(block, "failed", bytes, "validation_error")
  file.applied.add(texts)
  Object.assign(file, { text: applied.text, bytes })
  const is_create = oldLines.length === 0 && file.before === undefined
  return { ...rejected(block, "applied", applied.message, null), is_create, line: applied.line }
}

/** Removes the code fence if it surrounds the whole text of a new file. */
function unfenced(block: EditBlock): EditBlock {
  const text = block.newLines.join("\n")
  const bare = withoutOuterFence(block.path, text)
  return bare === text ? block : { ...block, newLines: bare.slice(0, -1).split("\n") }
}

/** Returns the bytes of a new text, or the reason why it is invalid. */
function bytesOr(text: string, path: string): Uint8Array | string {
  try {
    return editableBytes(text, path)
  } catch (error) {
    if (isAppError(error, "workspace_validation_error")) return error.message
    throw error
  }
}

function rejected(
  { path, oldLines, newLines }: EditBlock,
  status: ChatEdit["status"],
  message: string,
  error: ChatEdit["error_type"],
): ChatEdit {
  const texts = { old_text: oldLines.join("\n"), new_text: newLines.join("\n") }
  return { file_path: path, status, message, error_type: error, is_create: oldLines.length === 0, ...texts, line: null }
}

/**
 * Returns the path that a block names. A model's Unicode normalisation may differ from that of the file system, so a
 * path that differs only in normalisation is accepted if it is unambiguous.
 */
function pathOf(written: string, shown: Workspace): WorkspacePath | undefined {
  const path = workspacePathIfValid(written.startsWith("./") ? written.slice(2) : written)
  if (path === undefined || shown.stat(path)) return path
  const paths = shown.manifest.files.map((file) => file.path)
  return findTwin(path, paths) ?? workspacePathIfValid(inTwinFolder(path, paths)) ?? path
}

function shaOf({ files }: Manifest, path: string): string | null {
  return files.find((file) => file.path === path)?.sha256 ?? null
}
