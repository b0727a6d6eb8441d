import * as z from "zod"
import { markerSignsFor } from "../../../files/edits/edit-markers.ts"
import type { Completion, ToolCall } from "../../../models/provider.ts"
import type { HarnessContext } from "../../harness/context.ts"
import { withKnownCalls } from "../../harness/known-calls.ts"

const WriteFile = z.object({ path: z.string(), content: z.string() })
const EditFile = z.object({
  path: z.string(),
  edits: z.array(z.object({ search: z.string(), replace: z.string() })).min(1),
})
/** Tools that models call out of habit because coding agents usually have them. The chat doesn't offer them. */
const HABITUAL = [
  { name: "write_file", description: "", parameters: WriteFile, writes: {} },
  { name: "edit_file", description: "", parameters: EditFile, edits: {} },
]

/**
 * Converts calls that write files to edit blocks. In a chat, models are asked to edit files with blocks in their text,
 * but some call such tools anyway.
 */
export function withCalledEdits(
  harness: Pick<HarnessContext, "newId" | "filePath">,
  completion: Completion,
): Completion {
  const { text, toolCalls } = withKnownCalls(harness, completion, HABITUAL)
  const blocks = toolCalls.flatMap(blocksOf)
  if (blocks.length === 0) return completion
  const stopReason = completion.stopReason === "tool_calls" ? ("end" as const) : completion.stopReason
  const whole = [text, ...blocks].filter((part) => part !== "").join("\n\n")
  return { ...completion, text: whole, toolCalls: [], stopReason, raw: undefined }
}

function blocksOf({ name, args }: ToolCall): string[] {
  if (name === "write_file") {
    const { data } = WriteFile.safeParse(args)
    return data ? [blockOf(data.path, "", data.content)] : []
  }
  const { data } = EditFile.safeParse(args)
  return (data?.edits ?? []).map(({ search, replace }) => blockOf(data?.path ?? "", search, replace))
}

function blockOf(path: string, search: string, replace: string): string {
  const signs = markerSignsFor(`${search}\n${replace}`) ?? 4
  const marker = (sign: string, word: string) => `${sign.repeat(signs)} ${word}`
  const lines = (text: string) => (text === "" ? [] : [text.replace(/\n$/, "")])
  return [
    path,
    marker("<", "EDIT"),
    ...lines(search),
    marker("=", "REPLACE"),
    ...lines(replace),
    marker(">", "EDIT END"),
  ].join("\n")
}
