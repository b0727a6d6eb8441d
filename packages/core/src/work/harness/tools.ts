import * as z from "zod"
import type { ToolKind } from "../../agents/clis/schema.ts"
import { AppError } from "../../errors.ts"
import type { ToolCall, ToolSpec } from "../../models/provider.ts"

/** Facts about a call for the log. */
export interface CallFacts {
  path?: string
  file_bytes?: number
  sha256?: string
}

export interface ToolResult {
  /** The answer as the model reads it. */
  answer: string
  /** The same in a few words, for people. */
  summary: string
  facts?: CallFacts
  isError?: boolean
}

export interface FileArguments {
  pathKey: string
  textKey: string
  /** The path as the tool takes it; undefined for one that it refuses. */
  toPath(given: string): string | undefined
}

export interface EditArguments {
  pathKey: string
  /** The key of the list, and those of its items. */
  editsKey: string
  searchKey: string
  replaceKey: string
  /** The path as the tool takes it; undefined for one that it refuses. */
  toPath(given: string): string | undefined
  /** The text that the edits will apply to. Rejects where there is none. */
  read(path: string, options: { signal: AbortSignal }): Promise<string>
}

/** A tool that a model may call. */
export interface Tool extends ToolSpec {
  kind: ToolKind
  /** The arguments that hold the path and the text of the file that it writes, to show them while they are written. */
  writes?: FileArguments
  /** The same of a tool that replaces some of a file's text. */
  edits?: EditArguments
  /** Runs one call. A mistake of the model's is a result; anything else throws. */
  call(call: ToolCall, options: { signal: AbortSignal }): Promise<ToolResult>
}

/**
 * Defines a tool: its arguments are parsed before `run` sees them, and arguments that don't fit are the model's mistake. So is
 * an `AppError` for which `mistake` has words; every other error of `run` is thrown on.
 */
export function defineTool<Args extends z.ZodObject>(tool: {
  name: string
  description: string
  parameters: Args
  kind: ToolKind
  writes?: FileArguments
  edits?: EditArguments
  run(args: z.infer<Args>, options: { signal: AbortSignal }): ToolResult | Promise<ToolResult>
  /** Mends arguments of a usual wrong shape before they are parsed. */
  repair?(args: unknown): unknown
  /** The reason as the model should read it; undefined for an error that is not its mistake. */
  mistake?(error: AppError): string | undefined
}): Tool {
  const { name, description, parameters, kind, writes, edits } = tool
  async function call({ args: given }: ToolCall, options: { signal: AbortSignal }): Promise<ToolResult> {
    if (given === undefined) return failed("The arguments are not complete, valid JSON.")
    const args = tool.repair?.(given) ?? given
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

/** The substitute for a tool that doesn't exist. */
export function unknownTool(name: string, tools: Tool[]): Tool {
  // British English has no comma before "and".
  const names = new Intl.ListFormat("en-GB").format(tools.map((tool) => tool.name))
  const reason = `There is no tool ${name}; there are ${names}.`
  return { name, description: "", parameters: z.unknown(), kind: "other", call: async () => failed(reason) }
}

function failed(reason: string, facts?: CallFacts): ToolResult {
  return { answer: `ERROR: ${reason}`, summary: `ERROR: ${reason.slice(0, 300)}`, isError: true, facts }
}

function factsOf(args: unknown): CallFacts {
  const parsed = z.object({ path: z.string() }).safeParse(args)
  return parsed.success ? { path: parsed.data.path.slice(0, 256) } : {}
}
