import type * as z from "zod"

/** A tool for agents. A model reads its result. */
export interface AgentTool<I extends z.ZodObject = z.ZodObject> {
  title: string
  description: string
  /** True if the tool doesn't change anything. */
  readOnly: boolean
  input: I
  call(input: z.output<I>, options: { signal: AbortSignal }): Promise<object | string>
}

/** Makes the compiler check that a tool's types match. The returned tool no longer has these types. */
export function agentTool<I extends z.ZodObject>(definition: AgentTool<I>): AgentTool {
  return definition as unknown as AgentTool
}
