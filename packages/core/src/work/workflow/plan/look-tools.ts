import * as z from "zod"
import { mapConcurrent } from "../../../concurrency/map-concurrent.ts"
import { type AppError, isAppError } from "../../../errors.ts"
import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import { formatCount } from "../../../text/format.ts"
import { withoutSlashes } from "../../../text/trim.ts"
import { compactTree } from "../../context/file-tree.ts"
import { placesIn, placesText } from "../../harness/text-places.ts"
import { defineTool, type Tool, type ToolResult } from "../../harness/tools.ts"
import { isWrittenByPeople } from "./file-kinds.ts"
import { modelPath } from "./plan.ts"
import type { Draft } from "./staging.ts"

const ReadFile = z.object({
  path: z.string().describe("Path from the project's root"),
  first_line: z.int().min(1).nullish().describe("First line to return, from 1"),
  last_line: z.int().min(1).nullish().describe("Last line to return"),
})
const ListFiles = z.object({
  path: z.string().nullish().describe("Folder; the whole project without it"),
})
const SearchFiles = z.object({
  text: z.string().min(1).describe("Text in any case, not a pattern"),
  path: z.string().nullish().describe("Folder or file; the whole project without it"),
})

const MAX_READ_CHARS = 100_000
const MAX_HITS = 60
const MAX_SEARCHED_FILES = 10_000
const READS_AT_ONCE = 16

/** Creates the tools for reading a draft's files. The tools also recognise files that are only planned so far. */
export function createLookTools(
  draft: Pick<Draft, "exists" | "list" | "read">,
  planned: readonly string[],
  { maxReadChars = MAX_READ_CHARS }: { maxReadChars?: number } = {},
): Tool[] {
  return [
    defineTool({
      name: "read_file",
      description: "Returns the text of a file, or some of its lines.",
      parameters: ReadFile,
      kind: "read",
      mistake: pathMistake,
      async run({ path: input, first_line: first, last_line: last }, options) {
        const path = modelPath(input)
        if (!draft.exists(path) && planned.includes(path)) return stillPlanned(path)
        const text = await draft.read(path, options)
        const summary = `Read ${path} (${text.length} characters).`
        const shown = first || last ? linesOf(text, first, last) : text
        return { answer: clip(shown, maxReadChars), summary, facts: { path } }
      },
    }),
    defineTool({
      name: "list_files",
      description: "Lists files, one path a line.",
      parameters: ListFiles,
      kind: "glob",
      mistake: pathMistake,
      run: ({ path }) => list(draft, folderOf(path), maxReadChars),
    }),
    defineTool({
      name: "search_files",
      description: "Finds a text in files. Returns a line for each place: path:line: text.",
      parameters: SearchFiles,
      kind: "grep",
      mistake: pathMistake,
      run: ({ text, path }, options) => search(draft, text, folderOf(path), options),
    }),
  ]
}

/**
 * Answers a request to read a planned file. The answer isn't an error, because files are written concurrently and the
 * task of each file is known.
 */
function stillPlanned(path: WorkspacePath): ToolResult {
  const answer = `${path} is planned and not written yet. Its task, among the tasks above, says what it will contain. Rely on that.`
  return { answer, summary: `${path} is planned and not written yet.`, facts: { path } }
}

/**
 * Explains to the model why a path is invalid. Returns undefined if the storage failed, because that isn't the model's
 * mistake.
 */
export function pathMistake({ code, message }: AppError): string | undefined {
  if (!code.startsWith("workspace_") || code === "workspace_error") return undefined
  return code === "workspace_not_found" ? `${message} list_files shows what there is.` : message
}

/** Returns the folder named by a model. Undefined for the root. */
function folderOf(input: string | null | undefined): WorkspacePath | undefined {
  const folder = withoutSlashes((input ?? "").trim())
  return folder === "" || folder === "." ? undefined : modelPath(folder)
}

type Files = Pick<Draft, "exists" | "list" | "read">

/** Lists the files, one path per line. If the list is too long, groups the files by folder. */
function list(draft: Files, folder: WorkspacePath | undefined, maxChars: number): ToolResult {
  const paths = draft.list(folder)
  const lines = paths.join("\n")
  return {
    answer: lines.length > maxChars ? compactTree(paths, maxChars).join("\n") : lines || "No files were found.",
    summary: `Listed ${formatCount(paths.length, "file")}.`,
  }
}

async function search(
  draft: Files,
  text: string,
  place: WorkspacePath | undefined,
  options: { signal: AbortSignal },
): Promise<ToolResult> {
  const paths = place !== undefined && draft.exists(place) ? [place] : draft.list(place)
  const searched = paths.filter((path) => place !== undefined || isWrittenByPeople(path)).slice(0, MAX_SEARCHED_FILES)
  const read = async (path: WorkspacePath) => ({ path, content: await textOrNothing(draft, path, options) })
  const hits: string[] = []
  for await (const { path, content } of mapConcurrent(searched, read, { atOnce: READS_AT_ONCE })) {
    hits.push(...placesIn(path, content, text.toLowerCase()))
    if (hits.length > MAX_HITS) break
  }
  return {
    answer: placesText(hits, MAX_HITS),
    summary: `Found ${formatCount(Math.min(hits.length, MAX_HITS), "place")} with ${JSON.stringify(text.slice(0, 60))}.`,
  }
}

/** Returns a file's text. Empty if the file isn't text or is too long. */
async function textOrNothing(draft: Files, path: WorkspacePath, options: { signal: AbortSignal }): Promise<string> {
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

function clip(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  return `${text.slice(0, maxChars).toWellFormed()}\n[The first ${maxChars} of ${text.length} characters.]`
}
