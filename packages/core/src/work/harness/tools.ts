import * as z from "zod"
import type { ToolKind } from "../../agents/clis/schema.ts"
import { AppError } from "../../errors.ts"
import type { ToolCall, ToolSpec } from "../../models/provider.ts"
import { jsonProblem } from "../../text/lenient-json.ts"

/** Facts about a call, for the log. */
export interface CallFacts {
  path?: string
  file_bytes?: number
  sha256?: string
}

export interface ToolResult {
  /** Answer for the model. */
  answer: string
  /** Short summary for people. */
  summary: string
  facts?: CallFacts
  isError?: boolean
}

export interface FileArguments {
  pathKey: string
  textKey: string
  /** Returns the path in the tool's own form, or undefined if the tool refuses it. */
  toPath(given: string): string | undefined
}

export interface EditArguments {
  pathKey: string
  /** Key of the list of edits. `searchKey` and `replaceKey` are keys of the list's items. */
  editsKey: string
  searchKey: string
  replaceKey: string
  /** Returns the path in the tool's own form, or undefined if the tool refuses it. */
  toPath(given: string): string | undefined
  /** Returns the text to be edited. Rejects if the file doesn't exist. */
  read(path: string, options: { signal: AbortSignal }): Promise<string>
}

/** A tool that models can call. */
export interface Tool extends ToolSpec {
  kind: ToolKind
  /** Argument keys for the path and text of a file that the tool writes, for previews. */
  writes?: FileArguments
  /** Argument keys for the edits that the tool makes to files, for previews. */
  edits?: EditArguments
  /** Runs one call. Mistakes by the model are returned as results. All other errors are thrown. */
  call(call: ToolCall, options: { signal: AbortSignal }): Promise<ToolResult>
}

/**
 * Defines a tool. `run` receives parsed arguments. Invalid arguments count as the model's mistake, and so does an
 * `AppError` that `mistake` explains. Other errors from `run` are thrown.
 */
export function defineTool<Args extends z.ZodObject>(tool: {
  name: string
  description: string
  parameters: Args
  kind: ToolKind
  writes?: FileArguments
  edits?: EditArguments
  run(args: z.infer<Args>, options: { signal: AbortSignal }): ToolResult | Promise<ToolResult>
  /** Returns the reason to show to the model, or undefined if the error isn't the model's mistake. */
  mistake?(error: AppError): string | undefined
}): Tool {
  const { name, description, parameters, kind, writes, edits } = tool
  async function call({ args, rawArguments }: ToolCall, options: { signal: AbortSignal }): Promise<ToolResult> {
    if (args === undefined) return failed(invalidArguments(rawArguments))
    const parsed = parameters.safeParse(args)
    if (!parsed.success) return failed(z.prettifyError(parsed.error))
    try {
      return await tool.run(parsed.data, options)
    } catch (error) {
      const reason = error instanceof AppError ? tool.mistake?.(error) : undefined
      if (reason === undefined) throw error
      return failed(reason, factsOf(args))
    }
  }
  return { name, description, parameters, kind, writes, edits, call }
}

/** Explains to the model why a call's arguments can't be read. */
export function invalidArguments(rawArguments: string): string {
  return `The arguments aren't complete, valid JSON. ${jsonProblem(rawArguments)}`
}

/** Names of similar tools in other programs, which some models use instead of our names. */
const OTHER_NAMES: Record<string, readonly string[]> = {
  write_file: ["create_file", "save_file", "write_to_file", "write", "create"],
  edit_file: ["replace_in_file", "search_replace", "str_replace", "edit"],
  read_file: ["view_file", "open_file", "read", "view", "cat"],
  list_files: ["list_dir", "list_directory", "ls"],
  search_files: ["grep_search", "grep", "search"],
}

/**
 * Returns the tool that a call names. Accepts the prefixes, suffixes and tokens that some models and servers add to a
 * name, as in `functions.write_file:0`, unless they contain the name of another tool. Also accepts the names of similar
 * tools in other programs.
 */
export function toolNamed<T extends { name: string }>(name: string, tools: readonly T[]): T | undefined {
  const exact = tools.find((tool) => tool.name === name)
  if (exact) return exact
  const words = new Set(name.split(/[^\w-]+/))
  const named = tools.filter((tool) => words.has(tool.name))
  if (named.length > 0) return named.length === 1 ? named[0] : undefined
  const alike = tools.filter((tool) => OTHER_NAMES[tool.name]?.some((other) => words.has(other)))
  return alike.length === 1 ? alike[0] : undefined
}

/** Returns a call's result, followed by the note about the call's form, if any. */
export function withNote(result: string, { note }: Pick<ToolCall, "note">): string {
  return note === undefined ? result : `${result}\n\nNote: ${note}`
}

/** Returns a placeholder for a tool that doesn't exist. */
export function unknownTool(name: string, tools: Tool[]): Tool {
  // British English doesn't use a comma before "and".
  const names = new Intl.ListFormat("en-GB").format(tools.map((tool) => tool.name))
  const reason = `There is no tool ${name}. Available tools: ${names}.`
  return { name, description: "", parameters: z.unknown(), kind: "other", call: async () => failed(reason) }
}

/** Returns a failed call's result. */
export function failed(reason: string, facts?: CallFacts): ToolResult {
  return { answer: `ERROR: ${reason}`, summary: `ERROR: ${reason.slice(0, 300)}`, isError: true, facts }
}

function factsOf(args: unknown): CallFacts {
  const parsed = z.object({ path: z.string() }).safeParse(args)
  return parsed.success ? { path: parsed.data.path.slice(0, 256) } : {}
}
