import type { ToolCall } from "../../../models/provider.ts"
import type { HarnessContext } from "../../harness/context.ts"
import { refusalsIn, type Turn } from "../../harness/loop.ts"
import { runTools } from "../../harness/run-tools.ts"
import type { Tool } from "../../harness/tools.ts"

/** Runs the calls that an answer implies although it contains no calls. */
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
 * Returns the content of the only fence in an answer, because some models write a file this way instead of saving it
 * with a tool. Undefined if a fence isn't closed or there are several fences, because the file would be ambiguous.
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
