import type { NewEvent } from "../../events.ts"
import type { Completion, ToolCall } from "../../models/provider.ts"
import type { HarnessContext } from "./context.ts"
import type { ToolMessage } from "./conversation.ts"
import { type Tool, type ToolResult, unknownTool, withNote } from "./tools.ts"

/**
 * Runs and logs all calls of one completion, in order. Returns their results, which must directly follow the completion
 * in the conversation.
 *
 * The completion's text and all of its calls are logged in one batch. One batch is safe because tools have no side
 * effects before their step is committed: if this executor dies, its successor has the model repeat the step.
 */
export async function runTools(
  context: HarnessContext,
  tools: Tool[],
  { toolCalls, stopReason }: Pick<Completion, "toolCalls" | "stopReason">,
): Promise<ToolMessage[]> {
  const messages: ToolMessage[] = []
  const events: NewEvent[] = []
  for (const call of toolCalls) {
    const tool = tools.find(({ name }) => name === call.name) ?? unknownTool(call.name, tools)
    const startedAt = context.clock.monotonic()
    const result = await tool.call(call, { signal: context.signal })
    events.push(...callEvents(context, tool, result, Math.round(context.clock.monotonic() - startedAt)))
    messages.push(resultMessage(call, result, stopReason))
  }
  await context.write(events)
  return messages
}

function resultMessage(call: ToolCall, { answer, isError }: ToolResult, stopReason: Completion["stopReason"]) {
  const truncated = isError && stopReason === "max_tokens" ? " The answer was cut off at the output limit." : ""
  const content = withNote(answer + truncated, call)
  return { role: "tool" as const, toolCallId: call.id, content, ...(isError && { isError }) }
}

function callEvents({ newId, nodeRef }: HarnessContext, tool: Tool, result: ToolResult, duration_ms: number) {
  const call = { ...nodeRef, tool_call_id: newId("tc") }
  const events: NewEvent[] = [
    { type: "tool_call_started", ...call, tool: tool.kind, ...result.facts },
    {
      ...{ type: "tool_call_finished", ...call, duration_ms },
      ...{ exit_code: result.isError ? 1 : 0, llm_summary: result.summary },
    },
  ]
  return events
}
