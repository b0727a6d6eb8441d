import type { Completion, ToolCall, ToolSpec } from "../../models/provider.ts"
import { normalArguments } from "./argument-shapes.ts"
import type { HarnessContext } from "./context.ts"
import { toolNamed } from "./tools.ts"
import { writtenCalls } from "./written-calls.ts"

const WRITTEN = "You wrote this call as text. It was made, but use the interface for tool calls instead."

/**
 * Corrects the names of tools and arguments in a completion's calls. If there are no calls, reads calls that the model
 * wrote as text. All kinds of work read calls through this function.
 */
export function withKnownCalls(
  { newId, filePath }: Pick<HarnessContext, "newId" | "filePath">,
  completion: Completion,
  tools: readonly ToolSpec[],
): Completion {
  if (completion.toolCalls.length > 0) {
    return { ...completion, toolCalls: completion.toolCalls.map((call) => knownCall(call, tools, filePath)) }
  }
  const written = completion.stopReason === "max_tokens" ? undefined : writtenCalls(completion.text, tools)
  if (!written) return completion
  const toolCalls = written.calls.map(({ name, args }) => {
    const call = { id: newId("tc"), name, args, rawArguments: JSON.stringify(args), note: WRITTEN }
    return knownCall(call, tools, filePath)
  })
  // Drop `raw`, because it contains the calls as text, and providers don't accept results of calls in text.
  return { ...completion, text: written.words, toolCalls, raw: undefined }
}

function knownCall(call: ToolCall, tools: readonly ToolSpec[], filePath: string | undefined): ToolCall {
  const tool = toolNamed(call.name, tools)
  if (!tool) return call
  const args = normalArguments(call.args, tool, filePath)
  const named = { ...call, name: tool.name }
  return JSON.stringify(args) === JSON.stringify(call.args)
    ? named
    : { ...named, args, rawArguments: JSON.stringify(args) }
}
