import type { AgentFolders } from "../clis/cli.ts"
import type { AgentEvent, AgentUsage, ToolUse } from "../clis/protocol.ts"
import type { PermissionRequest } from "../permissions/schema.ts"
import { asNumber, asObject, asObjects, asText, type JsonObject } from "./json-protocol.ts"
import { permissionRequest, replacedText } from "./permission-request.ts"
import { relativePath, toolUse } from "./tool-kinds.ts"
import { toolOutput } from "./tool-output.ts"

/** Codex uses the same items in two protocols, but spells their names differently. */

/** Returns the event that starts a tool call. Undefined for items that aren't tool calls. */
export function itemStarted(item: JsonObject, folders: AgentFolders): AgentEvent | undefined {
  const use = itemUse(item, folders)
  return use && { type: "tool_started", id: asText(item.id), ...use }
}

export function itemFinished(item: JsonObject): AgentEvent {
  const exitCode = asNumber(item.exit_code ?? item.exitCode)
  const output = asText(item.aggregated_output ?? item.aggregatedOutput) || asText(asObject(item.error).message)
  const ok = item.status === "completed" && (exitCode ?? 0) === 0
  const said = toolOutput(output.trim() === "" && !ok ? asText(item.status) : output)
  return { type: "tool_finished", id: asText(item.id), ok, exitCode, ...said }
}

/**
 * Returns the permission request for an item that needs approval. `item` already includes the fields of Codex's
 * request.
 */
export function approvalRequest(item: JsonObject, folders: AgentFolders): PermissionRequest {
  const changes = asObjects(item.changes)
  const diff = changes.map(changeOf).join("\n")
  const paths = changes.map(({ path }) => relativePath(folders, asText(path)))
  const { path: _joined, ...use } = itemUse(item, folders) ?? toolUse(asText(item.type), item, folders)
  return permissionRequest(use, {}, { paths, diff: diff || undefined })
}

/** Returns a change as diff lines. For an added or deleted file, Codex sends the whole text instead of a diff. */
function changeOf({ kind, diff }: JsonObject): string {
  const type = typeof kind === "string" ? kind : asObject(kind).type
  if (type === "add") return replacedText("", asText(diff))
  return type === "delete" ? replacedText(asText(diff), "") : asText(diff)
}

/** Converts OpenAI's token counts. OpenAI's input count includes cached tokens. */
export function codexUsage(input: unknown, cached: unknown, written: unknown, output: unknown): AgentUsage {
  const read = asNumber(cached)
  const all = asNumber(input)
  return {
    input: all === null ? null : all - (read ?? 0),
    cache_read: read,
    cache_write: asNumber(written),
    output: asNumber(output),
  }
}

function itemUse(item: JsonObject, folders: AgentFolders): ToolUse | undefined {
  const name = asText(item.type)
  switch (name) {
    case "file_change":
    case "fileChange": {
      const changes = asObjects(item.changes)
      const kinds = changes.map(({ kind }) => (typeof kind === "string" ? kind : asObject(kind).type))
      const paths = changes.map(({ path }) => relativePath(folders, asText(path)))
      return { tool: kinds.every((kind) => kind === "add") ? "write" : "edit", name, path: paths.join(", ") }
    }
    case "command_execution":
    case "commandExecution":
      return toolUse(name, { command: unwrapShell(asText(item.command)) }, folders)
    case "mcp_tool_call":
    case "mcpToolCall":
      return {
        ...toolUse(name, asObject(item.arguments), folders),
        name: asText(item.tool),
        server: asText(item.server),
      }
    case "web_search":
    case "webSearch":
      return toolUse(name, { query: item.query }, folders)
    default:
      return undefined
  }
}

/**
 * Returns the script inside a shell command. Codex runs every command in a shell, but people only want to see the
 * script.
 */
function unwrapShell(command: string): string {
  const [shell = "", flag, script, ...more] = shellWords(command) ?? []
  return /\/(?:ba|da|z)?sh$/.test(shell) && flag === "-lc" && script !== undefined && more.length === 0
    ? script
    : command
}

/** Splits a command into words as a shell does. Undefined if a quote isn't closed. */
function shellWords(command: string): string[] | undefined {
  const word = /(?:[^\s'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+/y
  const words: string[] = []
  for (let at = 0; at < command.length; at = word.lastIndex) {
    word.lastIndex = at + (/^\s*/.exec(command.slice(at))?.[0].length ?? 0)
    if (word.lastIndex === command.length) break
    const [found] = word.exec(command) ?? []
    if (found === undefined) return undefined
    words.push(unquoteWord(found))
  }
  return words
}

function unquoteWord(word: string): string {
  return word.replace(/'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g, (_all, single, double, escaped) => {
    if (double === undefined) return single ?? escaped
    return double.replace(/\\(?:(["\\$`])|\n)/g, "$1")
  })
}
