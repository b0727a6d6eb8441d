import { createHash } from "node:crypto"
import * as z from "zod"
import { AppError } from "../../errors.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import type { ToolCall, ToolSpec } from "../../models/provider.ts"
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

export const coderTools: ToolSpec[] = [
  {
    name: "write_file",
    description: "Saves a file with the given text, replacing what it held.",
    parameters: WriteFile,
  },
  { name: "read_file", description: "Returns the text of a file of the project.", parameters: ReadFile },
  { name: "list_files", description: "Lists the files of the project, one path a line.", parameters: ListFiles },
]

/** What came of a tool call. */
export type ToolOutcome =
  | { type: "written"; path: WorkspacePath; chars: number; sizeBytes: number; sha256: string }
  | { type: "content"; path: WorkspacePath; text: string }
  | { type: "listing"; paths: WorkspacePath[] }
  | { type: "failed"; path?: string; reason: string }

/** Does what a model asks for. Whatever is the model's fault is an outcome; everything else throws. */
export async function runTool(draft: Draft, call: ToolCall, options: { signal: AbortSignal }): Promise<ToolOutcome> {
  try {
    if (call.args === undefined) return { type: "failed", reason: "The arguments are not complete, valid JSON." }
    if (call.name === "write_file") return write(draft, call.args)
    if (call.name === "read_file") return await read(draft, call.args, options)
    if (call.name === "list_files") return list(draft, call.args)
    return { type: "failed", reason: `There is no tool ${call.name}; there are write_file, read_file and list_files.` }
  } catch (error) {
    if (error instanceof z.ZodError) return { type: "failed", reason: z.prettifyError(error) }
    if (!(error instanceof AppError) || !isModelsFault(error)) throw error
    return { type: "failed", path: pathOf(call.args), reason: `${error.message}${hint(error)}` }
  }
}

const SHOWN_CHARS = 100_000

/** The outcome as the model reads it. */
export function toolAnswer(outcome: ToolOutcome): string {
  switch (outcome.type) {
    case "written":
      return `Saved ${outcome.path} (${outcome.chars} characters).`
    case "content":
      if (outcome.text.length <= SHOWN_CHARS) return outcome.text
      return `${outcome.text.slice(0, SHOWN_CHARS)}\n[The first ${SHOWN_CHARS} of ${outcome.text.length} characters.]`
    case "listing":
      return outcome.paths.length > 0 ? outcome.paths.join("\n") : "No files were found."
    case "failed":
      return `ERROR: ${outcome.reason}`
  }
}

/** The outcome in a few words, for people. */
export function toolSummary(outcome: ToolOutcome): string {
  switch (outcome.type) {
    case "written":
      return `Saved ${outcome.path} (${outcome.chars} characters).`
    case "content":
      return `Read ${outcome.path} (${outcome.text.length} characters).`
    case "listing":
      return outcome.paths.length === 1 ? "Listed one file." : `Listed ${outcome.paths.length} files.`
    case "failed":
      return `ERROR: ${outcome.reason.slice(0, 300)}`
  }
}

function write(draft: Draft, args: unknown): ToolOutcome {
  const { path: input, content } = WriteFile.parse(args)
  const path = modelPath(input)
  draft.write(path, content)
  const sha256 = createHash("sha256").update(content).digest("hex")
  return { type: "written", path, chars: content.length, sizeBytes: Buffer.byteLength(content), sha256 }
}

async function read(draft: Draft, args: unknown, options: { signal: AbortSignal }): Promise<ToolOutcome> {
  const path = modelPath(ReadFile.parse(args).path)
  return { type: "content", path, text: await draft.read(path, options) }
}

function list(draft: Draft, args: unknown): ToolOutcome {
  const folder = (ListFiles.parse(args).path ?? "").trim().replace(/\/+$/, "")
  const isRoot = folder === "" || folder === "."
  return { type: "listing", paths: draft.list(isRoot ? undefined : modelPath(folder)) }
}

function isModelsFault({ code }: AppError): boolean {
  return code.startsWith("workspace_") && code !== "workspace_error"
}

function hint({ code }: AppError): string {
  return code === "workspace_not_found" ? " list_files shows what there is." : ""
}

function pathOf(args: unknown): string | undefined {
  const parsed = z.object({ path: z.string() }).safeParse(args)
  return parsed.success ? parsed.data.path.slice(0, 256) : undefined
}
