import type * as z from "zod"

/** A tool for agents. Its answer is for a model to read. */
export interface AgentTool<I extends z.ZodObject = z.ZodObject> {
  title: string
  description: string
  /** Whether it changes nothing. */
  readOnly: boolean
  input: I
  call(input: z.output<I>, options: { signal: AbortSignal }): Promise<object | string>
}

/** The same tool, with its types checked against one another. */
export function agentTool<I extends z.ZodObject>(definition: AgentTool<I>): AgentTool {
  return definition as unknown as AgentTool
}
