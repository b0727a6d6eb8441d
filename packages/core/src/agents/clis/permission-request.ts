import type { PermissionRequest } from "../permissions/schema.ts"
import type { ToolUse } from "./cli.ts"
import { asObjects, asText, type JsonObject } from "./json-protocol.ts"
import { clip } from "./tool-kinds.ts"

/** Enough to decide by; the whole is in the file afterwards. */
const DIFF_CHARS = 20_000
const COMMAND_CHARS = 20_000

/** The use of a tool as people and rules see it. Without a diff, that of the input's own fields for texts. */
export function permissionRequest(use: ToolUse, input: JsonObject, diff = diffIn(input)): PermissionRequest {
  const { tool, name, path, command, args } = use
  return {
    tool,
    name,
    ...(path !== undefined && { paths: [path] }),
    ...(command !== undefined && { command: clip(command, COMMAND_CHARS) }),
    ...(args !== undefined && { args }),
    ...(diff !== undefined && { diff: clip(diff, DIFF_CHARS) }),
  }
}

/** The lines of a text that is replaced, and of what replaces it. */
export function replacedText(before: string, after: string): string {
  return [...marked("-", before), ...marked("+", after)].join("\n")
}

/** The change in the fields by which Claude and those like it name it. */
export function diffIn(input: JsonObject): string | undefined {
  if (typeof input.content === "string") return replacedText("", input.content)
  const edits = Array.isArray(input.edits) ? asObjects(input.edits) : [input]
  const texts = edits.flatMap((edit) => {
    const before = asText(edit.old_string ?? edit.oldString)
    const after = asText(edit.new_string ?? edit.newString)
    return before === "" && after === "" ? [] : [replacedText(before, after)]
  })
  return texts.length === 0 ? undefined : texts.join("\n")
}

function marked(mark: string, text: string): string[] {
  if (text === "") return []
  const lines = text.endsWith("\n") ? text.slice(0, -1).split("\n") : text.split("\n")
  return lines.map((line) => mark + line)
}
