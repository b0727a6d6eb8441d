import type { Principal } from "@switchyard/core/people/access/schema"
import type * as z from "zod"
import type { AppDeps } from "../deps.ts"

/** Progress of a call. `progress` grows from one report to the next. */
export interface Progress {
  progress: number
  total?: number
  message?: string
}

export interface ToolCall {
  principal: Principal
  /** True if the caller may weaken a protection through the equivalent route. */
  mayLoosen: boolean
  /** Caller's own key for the model's provider. */
  apiKey: string | undefined
  /** Aborts when the caller stops waiting, and when the server stops. */
  signal: AbortSignal
  /** Sends progress to the caller, if the caller asked for it. */
  report(progress: Progress): Promise<void>
}

/** A tool for MCP clients. */
export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  title: string
  description: string
  /** Equivalent route. Its scope and its rate limit apply to the tool. */
  route: string
  /** True if the tool changes nothing. */
  readOnly: boolean
  input: I
  output: O
  call(input: z.output<I>, call: ToolCall): Promise<z.input<O>>
}

/** Checks the types of a tool's schemas and its function against each other. */
export function tool<I extends z.ZodObject, O extends z.ZodObject>(definition: Tool<I, O>): Tool {
  return definition as unknown as Tool
}

/** Creates the tools of a noun. */
export type Tools = (deps: AppDeps) => Record<string, Tool>
