import * as z from "zod"
import type { ToolCall } from "../../../models/provider.ts"
import { parseJson } from "../../../text/parse-json.ts"
import { isProse } from "../../checks/text/answer-text.ts"
import { jsonIn } from "../../harness/answer-json.ts"
import type { HarnessContext } from "../../harness/context.ts"
import { refusalsIn, type Turn } from "../../harness/loop.ts"
import { runTools } from "../../harness/run-tools.ts"
import type { Tool } from "../../harness/tools.ts"

const Arguments = z.union([
  z.record(z.string(), z.unknown()),
  z.string().transform((text, context) => {
    const value = parseJson(text)
    if (typeof value === "object" && value !== null) return value
    context.addIssue("The arguments are no JSON.")
    return z.NEVER
  }),
])

/** Formats in which models are trained to write calls. Normally, the server's template parses them. */
const WrittenCall = z.union([
  z.object({ name: z.string(), arguments: Arguments }).transform(({ name, arguments: args }) => ({ name, args })),
  z
    .object({ name: z.string(), parameters: Arguments })
    .transform(({ name, parameters }) => ({ name, args: parameters })),
])

/** Returns calls to these tools that an answer contains as JSON text, in order, as if the model had made them. */
export function writtenCalls(answer: string, tools: readonly { name: string }[]): ToolCall[] {
  const calls: ToolCall[] = []
  for (const value of jsonIn(answer).values) {
    const { data } = WrittenCall.safeParse(value)
    if (!data || !tools.some(({ name }) => name === data.name)) continue
    // `jsonIn` returns the whole answer and then its parts, so the same call may occur twice.
    const rawArguments = JSON.stringify(data.args)
    if (calls.some((call) => call.name === data.name && call.rawArguments === rawArguments)) continue
    calls.unshift({ id: `salvaged_${calls.length}`, ...data, rawArguments })
  }
  return calls
}

/** Runs calls that the model wrote as text, as if it had made them. */
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
 * Returns the content of the only fence in an answer. Models sometimes write a file like this instead of saving it with
 * a tool. Undefined if there are several fences or an open one, because it would be ambiguous which text is the file.
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

/** Removes the fence around a file's complete text. Markdown files keep it, because they may consist of a fence. */
export function withoutOuterFence(path: string, text: string): string {
  const trimmed = text.trim()
  if (isProse(path) || !trimmed.startsWith("```") || !/\n`{3,}$/.test(trimmed)) return text
  return onlyFencedText(trimmed) ?? text
}
