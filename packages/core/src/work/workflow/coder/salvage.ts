import type { ToolCall } from "../../../models/provider.ts"
import type { HarnessContext } from "../../harness/context.ts"
import { refusalsIn, type Turn } from "../../harness/loop.ts"
import { runTools } from "../../harness/run-tools.ts"
import type { Tool } from "../../harness/tools.ts"

/** Runs the calls that an answer implies although it makes none. */
export async function withSalvage(
  harness: HarnessContext,
  tools: Tool[],
  turn: Turn,
  toolCalls: ToolCall[],
): Promise<Turn> {
  if (toolCalls.length === 0) return turn
  const results = await runTools(harness, tools, { toolCalls, stopReason: turn.completion.stopReason })
  return { ...turn, refusals: refusalsIn(results) }
}

/**
 * Returns the content of the only fence in an answer. Some models write a file in this way instead of saving it with a
 * tool. Undefined if a fence is open or there are several, because the file would be ambiguous.
 */
export function onlyFencedText(answer: string): string | undefined {
  const lines = answer.split("\n")
  const fences = lines.flatMap((line, index) => (/^\s*`{3,}/.test(line) ? [index] : []))
  const [start, end] = fences
  if (fences.length !== 2 || start === undefined || end === undefined || lines[end]?.trim().match(/[^`]/))
    return undefined
  const content = lines.slice(start + 1, end).join("\n")
  return content.trim() === "" ? undefined : `${content}\n`
}
