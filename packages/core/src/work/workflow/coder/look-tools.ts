import * as z from "zod"
import { type AppError, isAppError } from "../../../errors.ts"
import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import { formatCount } from "../../../text/format.ts"
import { withoutSlashes } from "../../../text/trim.ts"
import { placesIn, placesText } from "../../harness/text-places.ts"
import { defineTool, type Tool, type ToolResult } from "../../harness/tools.ts"
import { modelPath } from "../plan/plan.ts"
import type { Draft } from "../plan/staging.ts"

const ReadFile = z.object({
  path: z.string().describe("Path of the file, relative to the project's root"),
  first_line: z.int().min(1).nullish().describe("The first line to return, counted from 1"),
  last_line: z.int().min(1).nullish().describe("The last line to return"),
})
const ListFiles = z.object({
  path: z.string().nullish().describe("A folder; without it, all files of the project are listed"),
})
const SearchFiles = z.object({
  text: z.string().min(1).describe("The text to look for, in any case; not a pattern"),
  path: z.string().nullish().describe("A folder or a file; without it, all files are searched"),
})

const MAX_READ_CHARS = 100_000
const MAX_HITS = 60
const MAX_SEARCHED_FILES = 2000

/** Creates the tools for reading a draft's files. They recognise files that are only planned. */
export function createLookTools(draft: Draft, planned: readonly string[]): Tool[] {
  return [
    defineTool({
      name: "read_file",
      description: "Returns the text of a file of the project, or some of its lines.",
      parameters: ReadFile,
      kind: "read",
      mistake: pathMistake,
      async run({ path: input, first_line: first, last_line: last }, options) {
        const path = modelPath(input)
        if (!draft.exists(path) && planned.includes(path)) return stillPlanned(path)
        const text = await draft.read(path, options)
        const summary = `Read ${path} (${text.length} characters).`
        return { answer: clip(first || last ? linesOf(text, first, last) : text), summary, facts: { path } }
      },
    }),
    defineTool({
      name: "list_files",
      description: "Lists the files of the project, one path a line.",
      parameters: ListFiles,
      kind: "glob",
      mistake: pathMistake,
      run: ({ path }) => list(draft, folderOf(path)),
    }),
    defineTool({
      name: "search_files",
      description: "Finds a text in the files of the project: one line for each place, as path:line: text.",
      parameters: SearchFiles,
      kind: "grep",
      mistake: pathMistake,
      run: ({ text, path }, options) => search(draft, text, folderOf(path), options),
    }),
  ]
}

/** Answers a read of a planned file. Not an error: other files are written concurrently, and their tasks are known. */
function stillPlanned(path: WorkspacePath): ToolResult {
  const answer = `${path} is planned and not written yet. Its task, which stands among all tasks above, says what it will hold: rely on that.`
  return { answer, summary: `${path} is planned and not written yet.`, facts: { path } }
}

/** Explains an invalid path to the model. Returns undefined for a storage failure, which isn't the model's mistake. */
export function pathMistake({ code, message }: AppError): string | undefined {
  if (!code.startsWith("workspace_") || code === "workspace_error") return undefined
  return code === "workspace_not_found" ? `${message} list_files shows what there is.` : message
}

/** Returns the folder named by a model. Undefined for the root. */
function folderOf(input: string | null | undefined): WorkspacePath | undefined {
  const folder = withoutSlashes((input ?? "").trim())
  return folder === "" || folder === "." ? undefined : modelPath(folder)
}

function list(draft: Draft, folder: WorkspacePath | undefined): ToolResult {
  const paths = draft.list(folder)
  return {
    answer: paths.length > 0 ? paths.join("\n") : "No files were found.",
    summary: `Listed ${formatCount(paths.length, "file")}.`,
  }
}

async function search(
  draft: Draft,
  text: string,
  place: WorkspacePath | undefined,
  options: { signal: AbortSignal },
): Promise<ToolResult> {
  const paths = place !== undefined && draft.exists(place) ? [place] : draft.list(place)
  const hits: string[] = []
  for (const path of paths.slice(0, MAX_SEARCHED_FILES)) {
    if (hits.length > MAX_HITS) break
    const content = await textOrNothing(draft, path, options)
    hits.push(...placesIn(path, content, text.toLowerCase()))
  }
  return {
    answer: placesText(hits, MAX_HITS),
    summary: `Found ${formatCount(Math.min(hits.length, MAX_HITS), "place")} with ${JSON.stringify(text.slice(0, 60))}.`,
  }
}

/** Returns a file's text. Empty for a file that isn't text or is too long. */
async function textOrNothing(draft: Draft, path: WorkspacePath, options: { signal: AbortSignal }): Promise<string> {
  try {
    return await draft.read(path, options)
  } catch (error) {
    const isNoText = isAppError(error, "workspace_binary_file") || isAppError(error, "workspace_validation_error")
    if (!isNoText) throw error
    return ""
  }
}

function linesOf(text: string, first: number | null | undefined, last: number | null | undefined): string {
  const lines = text.split("\n")
  const shown = lines.slice((first ?? 1) - 1, last ?? undefined)
  return shown.length > 0 ? shown.join("\n") : `[The file has ${formatCount(lines.length, "line")}.]`
}

function clip(text: string): string {
  if (text.length <= MAX_READ_CHARS) return text
  return `${text.slice(0, MAX_READ_CHARS)}\n[The first ${MAX_READ_CHARS} of ${text.length} characters.]`
}
