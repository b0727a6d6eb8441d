import { relative, resolve } from "node:path/posix"
import { type AgentFolders, TOOL_SERVER, type ToolUse } from "./cli.ts"
import { asObject, asText, type JsonObject } from "./json-protocol.ts"
import type { ToolKind } from "./schema.ts"

/** Kinds by the CLIs' own tool names, which are unique over all CLIs. */
const kinds: Record<string, ToolKind> = {
  Bash: "bash",
  bash: "bash",
  shell: "bash",
  run_shell_command: "bash",
  exec_command: "bash",
  command_execution: "bash",
  commandExecution: "bash",
  exec: "bash",
  Read: "read",
  read: "read",
  read_file: "read",
  read_many_files: "read",
  Write: "write",
  write: "write",
  write_file: "write",
  Edit: "edit",
  MultiEdit: "edit",
  NotebookEdit: "edit",
  edit: "edit",
  replace: "edit",
  notebook_edit: "edit",
  search_replace: "edit",
  apply_patch: "edit",
  patch: "edit",
  file_change: "edit",
  fileChange: "edit",
  Glob: "glob",
  glob: "glob",
  list: "glob",
  list_directory: "glob",
  Grep: "grep",
  grep: "grep",
  grep_search: "grep",
  search_file_content: "grep",
  mcp_tool_call: "mcp",
  mcpToolCall: "mcp",
}

/** ACP's own kinds, for tools with no other known name. */
const acpKinds: Record<string, ToolKind> = {
  edit: "write",
  delete: "edit",
  move: "edit",
  execute: "bash",
  read: "read",
  search: "grep",
}

/** Tools that change no files and run no commands. Sub-agents ask for their own tool uses. */
const OTHERS = new Set([
  ...["Agent", "Task", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TodoWrite"],
  ...["AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "Skill", "ToolSearch", "WebFetch", "WebSearch"],
  ...["BashOutput", "KillShell", "agent", "task", "skill", "question", "ask_user", "ask_user_question"],
  ...["enter_plan_mode", "exit_plan_mode", "activate_skill", "save_memory", "todo", "todo_write", "todoread"],
  ...["todowrite", "write_todos", "codesearch", "google_web_search", "web_fetch", "web_search", "webSearch"],
  ...["webfetch", "websearch", "fetch", "think", "switch_mode"],
])

/** True for a tool of any CLI whose effect is known by its name. */
export function isKnownTool(name: string): boolean {
  return OTHERS.has(name) || toolKindOf(name) !== undefined
}

/** Matches `mcp__switchyard__`, Gemini's `mcp_switchyard_`, Vibe's `mcp_switchyard.` and opencode's `switchyard_`. */
const OWN_TOOL = new RegExp(`^(?:mcp__?)?${TOOL_SERVER}[_.].`)

/** True for a tool of the product itself, as any CLI calls it. */
export function isOwnTool(name: string): boolean {
  return OWN_TOOL.test(name)
}

const ARGS_CHARS = 2000

/** Qwen's tool for calling tools that it doesn't list, such as a session's own. */
const CALLS_ANOTHER = "tool_call"

/** Converts a tool call to the common vocabulary. Omits contents of files, which are in the files. */
export function toolUse(name: string, input: JsonObject, folders: AgentFolders, acpKind?: string): ToolUse {
  const called = name === CALLS_ANOTHER ? asText(input.name) : ""
  // The tool can't call itself, so a call that claims this is shown as it is instead of being unwrapped.
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

/** Returns the file or folder that the arguments name. A pattern that leaves the folder counts as a path. */
function pathIn(input: JsonObject, tool: ToolKind): string {
  const { file_path, filePath, absolute_path, notebook_path, path, dir_path, pattern } = input
  const named = asText(file_path ?? filePath ?? absolute_path ?? notebook_path ?? path ?? dir_path)
  const leaves = /^[/~]|(^|\/)\.\.(\/|$)/.test(asText(pattern))
  return tool === "glob" && leaves ? asText(pattern) : named
}

export function toolKindOf(name: string): ToolKind | undefined {
  if (/^mcp_{1,2}./.test(name) || isOwnTool(name)) return "mcp"
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined
}

/** Returns the path relative to the project's folder if it is inside; else absolute. */
export function relativePath({ root, cwd }: AgentFolders, path: string): string {
  const place = resolve(cwd, path)
  const inside = relative(root, place)
  return inside === "" || inside.startsWith("..") ? place : inside
}

/** Returns the first characters of a text, without splitting a surrogate pair. */
export function clip(text: string, chars: number): string {
  if (text.length <= chars) return text
  const end = /[\uD800-\uDBFF]/.test(text[chars - 2] ?? "") ? chars - 2 : chars - 1
  return `${text.slice(0, end)}…`
}
