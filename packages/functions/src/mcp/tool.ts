import type { Principal } from "@switchyard/core/people/access/schema"
import type * as z from "zod"
import type { AppDeps } from "../deps.ts"
import type { REQUIRED_SCOPE } from "../http/permissions.ts"

/** The progress of a call. `progress` grows from one report to the next. */
export interface Progress {
  progress: number
  total?: number
  message?: string
}

/** One call of a tool. */
export interface ToolCall {
  principal: Principal
  /** Whether the caller may weaken a protection by the route that does the same. */
  mayLoosen: boolean
  /** The caller's own key of the model's provider. */
  apiKey: string | undefined
  /** Aborts when the caller stops waiting, and when the server stops. */
  signal: AbortSignal
  /** Tells the caller, if they want to know. */
  report(progress: Progress): Promise<void>
}

/** A tool for MCP clients. */
export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  title: string
  description: string
  /** The route that does the same. Its scope and its rate limit are the tool's. */
  route: keyof typeof REQUIRED_SCOPE
  /** Whether it changes nothing. */
  readOnly: boolean
  input: I
  output: O
  call(input: z.output<I>, call: ToolCall): Promise<z.input<O>>
}

/** The same tool, with its types checked against one another. */
export function tool<I extends z.ZodObject, O extends z.ZodObject>(definition: Tool<I, O>): Tool {
  return definition as unknown as Tool
}

/** Makes the tools of a noun. */
export type Tools = (deps: AppDeps) => Record<string, Tool>
