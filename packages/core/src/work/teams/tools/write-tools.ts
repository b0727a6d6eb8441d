import * as z from "zod"
import { applyEdits } from "../../../files/edits/search-replace.ts"
import { type WorkspacePath, workspacePath } from "../../../files/workspaces/path.ts"
import { type DurableTool, defineDurableTool, mistake } from "../../harness/durable-tools.ts"
import { type StagedFile, scratchOf, writeChange } from "../files.ts"
import { faultsIn, faultsText } from "./check-files.ts"
import { openWorkerTexts, type Worker, type WorkerTexts } from "./worker-texts.ts"

const Path = z.string().max(1000)
const MAX_CHARS = 1_000_000

export function writeTools(worker: Worker): DurableTool[] {
  return [
    defineDurableTool({
      name: "write_file",
      description:
        "Write a whole text file. The answer reports definite faults in it. The file is published with your result.",
      parameters: z.object({ path: Path, content: z.string().max(MAX_CHARS) }),
      kind: "write",
      async run({ path: given, content }) {
        const path = workspacePath(given)
        const wrong = await wrongText(await openWorkerTexts(worker), path, content)
        return { answer: `Wrote ${path}, ${content.length} characters.${wrong}` }
      },
    }),
    defineDurableTool({
      name: "edit_file",
      description:
        "Replace parts of a text file: one you have written, one published by a node yours builds on, or one in the project. Shorter and safer than write_file if most of the file stays the same. The whole file is published with your result.",
      parameters: z.object({
        path: Path,
        edits: z
          .array(
            z.object({
              search: z.string().describe("Text that occurs exactly once in the file, character for character"),
              replace: z.string().max(MAX_CHARS).describe("Replacement text"),
            }),
          )
          .min(1)
          .max(100)
          .describe("Applied in this order, all or none"),
      }),
      kind: "edit",
      async run({ path: given, edits }) {
        const path = workspacePath(given)
        const texts = await openWorkerTexts(worker)
        const text = texts.staged.has(path) ? await texts.own(path) : await texts.before(path)
        if (text === undefined) throw mistake(`There is no text file ${path}. Write it with write_file.`)
        const edited = applyEdits(text, edits)
        if (edited.problem !== undefined) {
          const { problem, nearest } = edited
          throw mistake([`${problem} Nothing was changed.`, nearest ?? []].flat().join("\n"))
        }
        return {
          answer: `Edited ${path}.${await wrongText(texts, path, edited.text)}`,
          changes: [{ ...writeChange(`${scratchOf(worker.nodeId)}/${path}`, edited.text), mode: modeOf(texts, path) }],
        }
      },
    }),
    defineDurableTool({
      name: "delete_file",
      description: "Delete a file you have written or one in the project. It is gone once you publish.",
      parameters: z.object({ path: Path }),
      kind: "edit",
      async run({ path: given }) {
        const path = workspacePath(given)
        requireFile(await openWorkerTexts(worker), path)
        return { answer: `Deleted ${path}.` }
      },
    }),
    defineDurableTool({
      name: "rename_file",
      description: "Move a file of any type to another path: one you have written or one in the project.",
      parameters: z.object({ path: Path, to: Path }),
      kind: "edit",
      async run({ path: given, to: wanted }) {
        const [path, to] = [workspacePath(given), workspacePath(wanted)]
        const texts = await openWorkerTexts(worker)
        const file = requireFile(texts, path)
        if (fileAt(texts, to)) throw mistake(`The file ${to} already exists. Delete it first.`)
        return {
          answer: `Renamed ${path} to ${to}.`,
          changes: [{ ...file, path: workspacePath(`${scratchOf(worker.nodeId)}/${to}`) }],
        }
      },
    }),
  ]
}

/**
 * Returns a file as seen by the worker: the worker's own version or, if there is none, the project's. Undefined if the
 * worker deleted the file or neither version exists.
 */
function fileAt({ staged, project }: WorkerTexts, path: WorkspacePath): StagedFile | undefined {
  const own = staged.get(path)
  if (own) return own.op === "write" ? { mode: modeOf({ project, staged }, path), ...own } : undefined
  const found = project.stat(path)
  if (found?.type !== "file") return undefined
  const { type: _, ...file } = found
  return { op: "write", path, file }
}

function requireFile(texts: WorkerTexts, path: WorkspacePath): StagedFile {
  const file = fileAt(texts, path)
  if (!file) throw mistake(`There is no file ${path}. Use list_files to see what exists.`)
  return file
}

/** Returns the file mode to keep when overwriting a file. */
function modeOf({ staged, project }: Pick<WorkerTexts, "staged" | "project">, path: WorkspacePath): number | undefined {
  const own = staged.get(path)
  if (own?.op === "write" && "file" in own) return own.file.mode
  const found = project.stat(path)
  return found?.type === "file" ? found.mode : undefined
}

async function wrongText(texts: WorkerTexts, path: WorkspacePath, text: string): Promise<string> {
  const faults = await faultsIn(texts, path, text)
  return faults.length === 0 ? "" : `\nBut it has faults, to be corrected before you publish:\n${faultsText(faults)}`
}
