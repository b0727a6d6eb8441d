import { createHash } from "node:crypto"
import * as z from "zod"
import type { AppError } from "../../errors.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import { withoutSlashes } from "../../trim.ts"
import { defineTool, type Tool, type ToolResult } from "../harness/tools.ts"
import { modelPath } from "./plan.ts"
import type { Draft } from "./staging.ts"

const WriteFile = z.object({
  path: z.string().describe("Path of the file, relative to the project's root"),
  content: z.string().describe("The full text of the file"),
})
const ReadFile = z.object({ path: z.string().describe("Path of the file, relative to the project's root") })
const ListFiles = z.object({
  path: z.string().optional().describe("A folder; without it, all files of the project are listed"),
})

const KeepFile = z.object({ reason: z.string().min(1).describe("Why the task is met by the file as it is") })

const MAX_READ_CHARS = 100_000
const MAX_REASON_CHARS = 300

/** The tools of the coder, on the files of one step. Nothing leaves the draft before the step is committed. */
export function createCoderTools(draft: Draft, file: WorkspacePath): Tool[] {
  return [
    defineTool({
      name: "write_file",
      description: "Saves a file with the given text, replacing what it held.",
      parameters: WriteFile,
      kind: "write",
      mistake: modelMistake,
      run({ path: input, content }) {
        const path = modelPath(input)
        draft.write(path, content)
        const sha256 = createHash("sha256").update(content).digest("hex")
        const saved = `Saved ${path} (${content.length} characters).`
        return { answer: saved, summary: saved, facts: { path, file_bytes: Buffer.byteLength(content), sha256 } }
      },
    }),
    defineTool({
      name: "keep_file",
      // The same words for every file: tools stand before all else in a provider's cache.
      description: "Leaves the file of the task exactly as it is. Only for a file that exists and needs no change.",
      parameters: KeepFile,
      kind: "other",
      mistake: ({ code, message }) => (code === "workspace_not_found" ? message : undefined),
      run({ reason }) {
        const shown = reason.slice(0, MAX_REASON_CHARS)
        draft.keep(file, shown)
        const summary = `Left ${file} as it is: ${shown}`
        return { answer: summary, summary, facts: { path: file } }
      },
    }),
    defineTool({
      name: "read_file",
      description: "Returns the text of a file of the project.",
      parameters: ReadFile,
      kind: "read",
      mistake: modelMistake,
      async run({ path: input }, options) {
        const path = modelPath(input)
        const text = await draft.read(path, options)
        return { answer: clip(text), summary: `Read ${path} (${text.length} characters).`, facts: { path } }
      },
    }),
    defineTool({
      name: "list_files",
      description: "Lists the files of the project, one path a line.",
      parameters: ListFiles,
      kind: "glob",
      mistake: modelMistake,
      run: ({ path = "" }) => list(draft, withoutSlashes(path.trim())),
    }),
  ]
}

function list(draft: Draft, folder: string): ToolResult {
  const isRoot = folder === "" || folder === "."
  const paths = draft.list(isRoot ? undefined : modelPath(folder))
  return {
    answer: paths.length > 0 ? paths.join("\n") : "No files were found.",
    summary: paths.length === 1 ? "Listed one file." : `Listed ${paths.length} files.`,
  }
}

function clip(text: string): string {
  if (text.length <= MAX_READ_CHARS) return text
  return `${text.slice(0, MAX_READ_CHARS)}\n[The first ${MAX_READ_CHARS} of ${text.length} characters.]`
}

/** The reason for a path that can't be used, as the model reads it; a store that fails is not its mistake. */
function modelMistake({ code, message }: AppError): string | undefined {
  if (!code.startsWith("workspace_") || code === "workspace_error") return undefined
  return code === "workspace_not_found" ? `${message} list_files shows what there is.` : message
}
