import * as z from "zod"
import type { ToolCall } from "../../../models/provider.ts"
import { parseJson } from "../../../parse-json.ts"
import { isProse } from "../../checks/text/answer-text.ts"
import { jsonIn } from "../../harness/answer-json.ts"

const Arguments = z.union([
  z.record(z.string(), z.unknown()),
  z.string().transform((text, context) => {
    const value = parseJson(text)
    if (typeof value === "object" && value !== null) return value
    context.addIssue("The arguments are no JSON.")
    return z.NEVER
  }),
])

/** The forms in which models are trained to write calls; the template of their server should read them. */
const WrittenCall = z.union([
  z.object({ name: z.string(), arguments: Arguments }).transform(({ name, arguments: args }) => ({ name, args })),
  z
    .object({ name: z.string(), parameters: Arguments })
    .transform(({ name, parameters }) => ({ name, args: parameters })),
])

/** The calls of these tools that an answer writes out as JSON, in their order, as if the model had made them. */
export function writtenCalls(answer: string, tools: readonly { name: string }[]): ToolCall[] {
  const calls: ToolCall[] = []
  for (const value of jsonIn(answer).values) {
    const { data } = WrittenCall.safeParse(value)
    if (!data || !tools.some(({ name }) => name === data.name)) continue
    // The whole answer is looked at first, and then once more as a part of itself.
    const rawArguments = JSON.stringify(data.args)
    if (calls.some((call) => call.name === data.name && call.rawArguments === rawArguments)) continue
    calls.unshift({ id: `salvaged_${calls.length}`, ...data, rawArguments })
  }
  return calls
}

/**
 * The content of the only fence in an answer, as models write a file that were meant to save it with a tool. None where there
 * are several, or one that does not close: which of them would be the file?
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

/** A file's text without the one fence that all of it stands in. A Markdown file may be nothing but a fence. */
export function withoutOuterFence(path: string, text: string): string {
  const trimmed = text.trim()
  if (isProse(path) || !trimmed.startsWith("```") || !/\n`{3,}$/.test(trimmed)) return text
  return onlyFencedText(trimmed) ?? text
}
