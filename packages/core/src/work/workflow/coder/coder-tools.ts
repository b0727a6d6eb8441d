import { createHash } from "node:crypto"
import * as z from "zod"
import { AppError } from "../../../errors.ts"
import { applyEdits } from "../../../files/edits/search-replace.ts"
import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import { editableBytes } from "../../../files/workspaces/text.ts"
import type { Finding } from "../../checks/facts/finding.ts"
import { checkWrittenFileInThread } from "../../checks/in-thread.ts"
import { withoutOuterFence } from "../../checks/text/outer-fence.ts"
import { defineTool, failed, type Tool, type ToolResult } from "../../harness/tools.ts"
import { createLookTools, pathMistake } from "../plan/look-tools.ts"
import { modelPath, modelPathIfValid } from "../plan/plan.ts"
import type { Draft } from "../plan/staging.ts"

const PATH = z.string().describe("Path from the project's root")

const REASON = z
  .string()
  .nullish()
  .describe("Only for a test, in a repair: why the request contradicts it. The user sees it")

const WriteFile = z.object({
  path: PATH,
  content: z.string().describe("The full text of the file"),
  reason: REASON,
})
const EditFile = z.object({
  path: PATH,
  edits: z
    .array(
      z.object({
        search: z.string().describe("Text that occurs exactly once in the file, character for character"),
        replace: z.string().describe("Its replacement"),
      }),
    )
    .min(1)
    .describe("Applied in this order, all or none"),
  reason: REASON,
})
const DeleteFile = z.object({ path: PATH, reason: REASON })
const RenameFile = z.object({
  path: PATH,
  to: z.string().describe("New path"),
  reason: REASON,
})
const KeepFile = z.object({
  reason: z.string().min(1).describe("Why nothing needs to change, or why no repair is possible"),
})

const MAX_REASON_CHARS = 300
/**
 * Maximum number of times that a file with faults is returned to the model. After that, the file is saved, and the
 * check of the whole project reports the faults again.
 */
const MAX_REFUSALS = 2
const SHOWN_FAULTS = 10

/** Purpose of a visit: a file to write, or a repair to make. */
export type Subject = { file: WorkspacePath } | { repair: RepairRules }

/** Rules for a repair. A repair may write any file, but needs a reason to change a test. */
export interface RepairRules {
  /** Returns true for a file that defines correct behaviour, unless that file itself is at fault. */
  isProtected(path: WorkspacePath): boolean
  /** Records the reason for changing a protected file. */
  onReason(path: WorkspacePath, reason: string): void
  /** Records the reason why the model can't repair the failure. */
  onGivingUp(reason: string): void
}

type Reason = string | null | undefined

/**
 * Creates the coder's tools for the files in one visit. Changes stay in the draft until they are committed, and text is
 * checked before it is saved. All visits have the same tools, because the tools come first in the prompt that a
 * provider caches.
 */
export function createCoderTools(draft: Draft, subject: Subject, planned: readonly string[] = []): Tool[] {
  const refusals = new Map<WorkspacePath, number>()
  const file = "file" in subject ? subject.file : undefined
  const repair = "repair" in subject ? subject.repair : undefined

  /** In a repair, rejects a change to a test if the call gives no reason. Otherwise, records the reason. */
  function refusalOf(path: WorkspacePath, reason: Reason): ToolResult | undefined {
    if (!repair?.isProtected(path)) return undefined
    const shown = reason?.trim().slice(0, MAX_REASON_CHARS)
    if (!shown) return failed(`${path} ${PROTECTED}`, { path })
    repair.onReason(path, shown)
    return undefined
  }

  async function save(
    path: WorkspacePath,
    text: string,
    reason: Reason,
    options: { signal: AbortSignal },
  ): Promise<ToolResult> {
    const refusal = refusalOf(path, reason)
    if (refusal) return refusal
    // Reject text that can't be saved before parsing it, because a parser would only report a syntax error.
    editableBytes(text, path)
    const before = await textBefore(draft, path, options)
    const faults = await checkWrittenFileInThread({ path, text, before }, [...draft.list(), ...planned])
    const refused = refusals.get(path) ?? 0
    if (faults.length > 0 && refused < MAX_REFUSALS) {
      refusals.set(path, refused + 1)
      return failed(faultsIn(path, faults), { path })
    }
    draft.write(path, text)
    return saved(path, text)
  }

  return [
    defineTool({
      name: "write_file",
      description: "Saves a file with this text, in place of its present text.",
      parameters: WriteFile,
      kind: "write",
      writes: { pathKey: "path", textKey: "content", toPath: modelPathIfValid },
      mistake: pathMistake,
      run: ({ path, content, reason }, options) =>
        save(modelPath(path), withoutOuterFence(path, content), reason, options),
    }),
    defineTool({
      name: "edit_file",
      description: "Replaces parts of a file and saves it. Use it if most of the file stays as it is.",
      parameters: EditFile,
      kind: "edit",
      edits: {
        pathKey: "path",
        editsKey: "edits",
        searchKey: "search",
        replaceKey: "replace",
        toPath: modelPathIfValid,
        read: (path, options) => draft.read(modelPath(path), options),
      },
      mistake: pathMistake,
      async run({ path: input, edits, reason }, options) {
        const path = modelPath(input)
        const edited = applyEdits(await draft.read(path, options), edits)
        if (edited.problem !== undefined) {
          const nearest = edited.nearest === undefined ? "" : `\n${edited.nearest}`
          return failed(`${edited.problem} Nothing was changed.${nearest}`, { path })
        }
        return save(path, edited.text, reason, options)
      },
    }),
    defineTool({
      name: "delete_file",
      description: "Deletes a file that nothing needs.",
      parameters: DeleteFile,
      kind: "write",
      mistake: pathMistake,
      run({ path: input, reason }) {
        const path = modelPath(input)
        if (path === file) return failed(`${path} is the file of this step, so it can't be deleted.`, { path })
        const refusal = refusalOf(path, reason)
        if (refusal) return refusal
        draft.delete(path)
        return done(`Deleted ${path}.`, path)
      },
    }),
    defineTool({
      name: "rename_file",
      description: "Renames a file. Change what refers to it, too.",
      parameters: RenameFile,
      kind: "write",
      mistake: pathMistake,
      run({ path: input, to, reason }) {
        const path = modelPath(input)
        if (path === file) return failed(`${path} is the file of this step, so it keeps its path.`, { path })
        const refusal = refusalOf(path, reason)
        if (refusal) return refusal
        draft.rename(path, modelPath(to))
        return done(`Renamed ${path} to ${modelPath(to)}.`, path)
      },
    }),
    defineTool({
      name: "keep_file",
      description: "Leaves the existing file of the task as it is, or ends a repair that isn't possible.",
      parameters: KeepFile,
      kind: "other",
      mistake: ({ code, message }) => (code === "workspace_not_found" ? message : undefined),
      run({ reason }) {
        const shown = reason.slice(0, MAX_REASON_CHARS)
        if (file === undefined) {
          repair?.onGivingUp(shown)
          return { answer: "The repair ends here.", summary: `Not repaired: ${shown}` }
        }
        draft.keep(file, shown)
        return done(`Left ${file} as it is: ${shown}`, file)
      },
    }),
    ...createLookTools(draft, planned),
  ]
}

const PROTECTED =
  "is a test, or decides how tests run, so a repair leaves it as it is: repair the code that it tests. Only if the test contradicts the user's request, call this again with the reason. A test is never skipped, deleted or made less strict."

/** Returns a file's text before the new text is saved. Undefined if the file doesn't exist or can't be read as text. */
async function textBefore(
  draft: Draft,
  path: WorkspacePath,
  options: { signal: AbortSignal },
): Promise<string | undefined> {
  if (!draft.exists(path)) return undefined
  try {
    return await draft.read(path, options)
  } catch (error) {
    if (error instanceof AppError && pathMistake(error) !== undefined) return undefined
    throw error
  }
}

function faultsIn(path: WorkspacePath, faults: Finding[]): string {
  const lines = faults.slice(0, SHOWN_FAULTS).map(({ message }) => `- ${message}`)
  return [`${path} was not saved, because of what is wrong with it:`, ...lines, "Correct this and save it again."].join(
    "\n",
  )
}

function saved(path: WorkspacePath, content: string): ToolResult {
  const sha256 = createHash("sha256").update(content).digest("hex")
  const summary = `Saved ${path} (${content.length} characters).`
  return { answer: summary, summary, facts: { path, file_bytes: Buffer.byteLength(content), sha256 } }
}

function done(summary: string, path: WorkspacePath): ToolResult {
  return { answer: summary, summary, facts: { path } }
}
