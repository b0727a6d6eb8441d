import { relative, resolve } from "node:path/posix"
import type { AgentFolders } from "../clis/cli.ts"
import { clis } from "../clis/clis.ts"
import { TOOL_SERVER } from "../clis/own-tools.ts"
import type { ToolUse } from "../clis/protocol.ts"
import type { ToolKind } from "../clis/schema.ts"
import { asObject, asText, type JsonObject } from "./json-protocol.ts"

/** Kinds of tools, by the CLIs' names for them. No name is used for different tools in different CLIs. */
const kinds: ReadonlyMap<string, ToolKind | null> = new Map(
  Object.values(clis).flatMap(({ tools }) => Object.entries(tools)),
)

/** Kinds of tools for ACP's own kinds. Used if a tool's name is unknown. */
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

/** True if any CLI has a tool with this name, so that its effect is known. */
export function isKnownTool(name: string): boolean {
  return kinds.has(name) || HARMLESS_ACP_KINDS.includes(name) || toolKindOf(name) !== undefined
}

/**
 * Matches the prefixes of our own tools: `mcp__switchyard__`, Gemini's `mcp_switchyard_`, Vibe's `mcp_switchyard.` and
 * opencode's `switchyard_`.
 */
const OWN_TOOL = new RegExp(`^(?:mcp__?)?${TOOL_SERVER}[_.].`)

/** True if any CLI uses this name for one of the tools that we give agents. */
export function isOwnTool(name: string): boolean {
  return OWN_TOOL.test(name)
}

const ARGS_CHARS = 2000

/** Name of Qwen's tool for calling tools that Qwen doesn't list. Our tools are among them. */
const CALLS_ANOTHER = "tool_call"

/** Converts a tool call to the common vocabulary. Omits file contents, because they can be read from the files. */
export function toolUse(name: string, input: JsonObject, folders: AgentFolders, acpKind?: string): ToolUse {
  const called = name === CALLS_ANOTHER ? asText(input.name) : ""
  // The tool can't call itself. If it tries to, show the call unchanged.
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

/** Returns the file or folder in the arguments. A pattern that leads out of the folder also counts as a path. */
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

/** Returns the path relative to the project folder. If it isn't inside that folder, returns the absolute path. */
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
