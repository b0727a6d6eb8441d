import type { Principal } from "@switchyard/core/people/access/schema"
import type * as z from "zod"
import type { AppDeps } from "../deps.ts"

/** Progress of a tool call. `progress` increases with each report. */
export interface Progress {
  progress: number
  total?: number
  message?: string
}

export interface ToolCall {
  principal: Principal
  /** True if the caller may weaken protection on the equivalent route. */
  mayLoosen: boolean
  /** The caller's own key for the model provider. */
  apiKey: string | undefined
  /** Aborts when the caller stops waiting or the server stops. */
  signal: AbortSignal
  /** Sends progress to the caller, if the caller asked for it. */
  report(progress: Progress): Promise<void>
}

/** A tool for MCP clients. */
export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  title: string
  description: string
  /** Equivalent route, whose scope and rate limit also apply to the tool. */
  route: string
  /** True if the tool doesn't change anything. */
  readOnly: boolean
  input: I
  output: O
  call(input: z.output<I>, call: ToolCall): Promise<z.input<O>>
}

/** Makes the compiler check that a tool's schemas match its function. */
export function tool<I extends z.ZodObject, O extends z.ZodObject>(definition: Tool<I, O>): Tool {
  return definition as unknown as Tool
}

/** Function that creates the tools for one kind of object. */
export type Tools = (deps: AppDeps) => Record<string, Tool>
