import { relative, resolve } from "node:path/posix"
import type { AgentFolders, ToolUse } from "../clis/cli.ts"
import { clis } from "../clis/clis.ts"
import { TOOL_SERVER } from "../clis/own-tools.ts"
import type { ToolKind } from "../clis/schema.ts"
import { asObject, asText, type JsonObject } from "./json-protocol.ts"

/** Tool kinds by the CLIs' own tool names. A name never means different tools in different CLIs. */
const kinds: ReadonlyMap<string, ToolKind | null> = new Map(
  Object.values(clis).flatMap(({ tools }) => Object.entries(tools)),
)

/** ACP's own kinds, for tools with unknown names. */
const acpKinds: Record<string, ToolKind> = {
  edit: "write",
  delete: "edit",
  move: "edit",
  execute: "bash",
  read: "read",
  search: "grep",
}

/** ACP kinds of tools that neither change files nor run commands. */
const HARMLESS_ACP_KINDS = ["fetch", "think", "switch_mode"]

/** True for a tool of any CLI if its effect is known from its name. */
export function isKnownTool(name: string): boolean {
  return kinds.has(name) || HARMLESS_ACP_KINDS.includes(name) || toolKindOf(name) !== undefined
}

/** Matches `mcp__switchyard__`, Gemini's `mcp_switchyard_`, Vibe's `mcp_switchyard.` and opencode's `switchyard_`. */
const OWN_TOOL = new RegExp(`^(?:mcp__?)?${TOOL_SERVER}[_.].`)

/** True if any CLI uses this name for one of our own tools. */
export function isOwnTool(name: string): boolean {
  return OWN_TOOL.test(name)
}

const ARGS_CHARS = 2000

/** Name of Qwen's tool for calling tools that Qwen doesn't list. Ours are among these. */
const CALLS_ANOTHER = "tool_call"

/** Converts a tool call to the common vocabulary. Omits file contents, because they can be read from the files. */
export function toolUse(name: string, input: JsonObject, folders: AgentFolders, acpKind?: string): ToolUse {
  const called = name === CALLS_ANOTHER ? asText(input.name) : ""
  // The tool can't call itself, so a call to itself is shown unchanged.
  if (called !== "" && called !== CALLS_ANOTHER) return toolUse(called, asObject(input.arguments), folders, acpKind)
  const tool = toolKindOf(name) ?? acpKinds[acpKind ?? ""] ?? "other"
  const path = tool === "bash" ? "" : pathIn(input, tool)
  const content = asText(input.content)
  const command = asText(input.command ?? input.cmd)
  const server = isOwnTool(name) ? TOOL_SERVER : /^mcp_{1,2}([^_.]+)[_.]/.exec(name)?.[1]
  const plain = tool === "mcp" || tool === "other" || tool === "grep" || tool === "glob"
  return {
    tool,
    name,
    ...(path && { path: relativePath(folders, path) }),
    ...(tool === "write" && content && { fileBytes: Buffer.byteLength(content) }),
    ...(command && { command }),
    ...(server && { server }),
    ...(plain && Object.keys(input).length > 0 && { args: clip(JSON.stringify(input), ARGS_CHARS) }),
  }
}

/** Returns the file or folder in the arguments. A pattern that leads out of the folder counts as a path. */
function pathIn(input: JsonObject, tool: ToolKind): string {
  const { file_path, filePath, absolute_path, notebook_path, path, dir_path, pattern } = input
  const named = asText(file_path ?? filePath ?? absolute_path ?? notebook_path ?? path ?? dir_path)
  const leaves = /^[/~]|(^|\/)\.\.(\/|$)/.test(asText(pattern))
  return tool === "glob" && leaves ? asText(pattern) : named
}

export function toolKindOf(name: string): ToolKind | undefined {
  if (/^mcp_{1,2}./.test(name) || isOwnTool(name)) return "mcp"
  return kinds.get(name) ?? undefined
}

/** Returns the path relative to the project folder if it is inside that folder, or else the absolute path. */
export function relativePath({ root, cwd }: AgentFolders, path: string): string {
  const place = resolve(cwd, path)
  const inside = relative(root, place)
  return inside === "" || inside.startsWith("..") ? place : inside
}

/** Truncates a text to at most `chars` characters without splitting a surrogate pair. */
export function clip(text: string, chars: number): string {
  if (text.length <= chars) return text
  const end = /[\uD800-\uDBFF]/.test(text[chars - 2] ?? "") ? chars - 2 : chars - 1
  return `${text.slice(0, end)}…`
}
