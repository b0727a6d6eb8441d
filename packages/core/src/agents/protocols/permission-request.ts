import type { ToolUse } from "../clis/protocol.ts"
import type { PermissionRequest } from "../permissions/schema.ts"
import { asObjects, asText, type JsonObject } from "./json-protocol.ts"
import { clip, isKnownTool } from "./tool-kinds.ts"

/**
 * Maximum length of a diff. It is long enough to decide on the change. The complete change can be seen in the file
 * afterwards.
 */
const DIFF_CHARS = 20_000
const COMMAND_CHARS = 20_000

interface Known {
  /** Files named in the call. The path in the tool use is always added. */
  paths?: string[]
  /** Diff of the change to the files. By default, it is derived from the text fields of the input. */
  diff?: string | undefined
  /** True if the arguments couldn't be read. */
  isUnreadable?: boolean
}

/** Returns the permission request for a tool use, as shown to people and matched against rules. */
export function permissionRequest(
  { tool, name, path, command, args }: ToolUse,
  input: JsonObject,
  { paths = [], diff = diffIn(input), isUnreadable = false }: Known = {},
): PermissionRequest {
  const all = [...new Set([...(path === undefined ? [] : [path]), ...paths])]
  const isCut = (command ?? "").length > COMMAND_CHARS
  const isUnknown = tool === "other" && !isKnownTool(name)
  return {
    tool,
    name,
    ...(tool !== "bash" && all.length > 0 && { paths: all }),
    ...(command !== undefined && { command: clip(command, COMMAND_CHARS) }),
    ...(args !== undefined && { args }),
    ...(diff !== undefined && { diff: clip(diff, DIFF_CHARS) }),
    ...((isUnreadable || isCut || isUnknown) && { incomplete: true }),
  }
}

/** Returns the diff lines for a string that replaces another. */
export function replacedText(before: string, after: string): string {
  return [...marked("-", before), ...marked("+", after)].join("\n")
}

/** Returns the change described by the input fields of Claude and similar CLIs. */
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
