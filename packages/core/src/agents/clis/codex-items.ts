import type { AgentEvent, ToolUse, Usage } from "./cli.ts"
import { listOf, type Message, numberOf, objectOf, textOf } from "./json-dialogue.ts"
import { clip, pathIn, toolUse } from "./tool-kinds.ts"

/** Codex has two protocols, in two spellings, for the same items. */

const SUMMARY_CHARS = 500

/** Undefined for items that are no tools. */
export function itemStarted(item: Message, cwd: string): AgentEvent | undefined {
  const use = itemUse(item, cwd)
  return use && { type: "tool_started", id: textOf(item.id), ...use }
}

export function itemFinished(item: Message): AgentEvent {
  const exitCode = numberOf(item.exit_code ?? item.exitCode)
  const output = textOf(item.aggregated_output ?? item.aggregatedOutput) || textOf(objectOf(item.error).message)
  const ok = item.status === "completed" && (exitCode ?? 0) === 0
  const summary = clip(output.trim() || (ok ? "" : textOf(item.status)), SUMMARY_CHARS)
  return { type: "tool_finished", id: textOf(item.id), ok, exitCode, summary }
}

/** OpenAI's input counts what came from the cache too. */
export function codexUsage(input: unknown, cached: unknown, written: unknown, output: unknown): Usage {
  const read = numberOf(cached)
  const all = numberOf(input)
  return {
    input: all === null ? null : all - (read ?? 0),
    cache_read: read,
    cache_write: numberOf(written),
    output: numberOf(output),
  }
}

function itemUse(item: Message, cwd: string): ToolUse | undefined {
  const name = textOf(item.type)
  switch (name) {
    case "file_change":
    case "fileChange": {
      const changes = listOf(item.changes)
      const kinds = changes.map(({ kind }) => (typeof kind === "string" ? kind : objectOf(kind).type))
      const paths = changes.map(({ path }) => pathIn(cwd, textOf(path)))
      return { tool: kinds.every((kind) => kind === "add") ? "write" : "edit", name, path: paths.join(", ") }
    }
    case "command_execution":
    case "commandExecution":
      return toolUse(name, { command: unwrapped(textOf(item.command)) }, cwd)
    case "mcp_tool_call":
    case "mcpToolCall":
      return { ...toolUse(name, objectOf(item.arguments), cwd), name: textOf(item.tool), server: textOf(item.server) }
    case "web_search":
    case "webSearch":
      return toolUse(name, { query: item.query }, cwd)
    default:
      return undefined
  }
}

/** Codex runs everything through a shell; what it runs is what people want to read. */
function unwrapped(command: string): string {
  const [shell = "", flag, script, ...more] = shellWords(command) ?? []
  return /\/(?:ba|da|z)?sh$/.test(shell) && flag === "-lc" && script !== undefined && more.length === 0
    ? script
    : command
}

/** The words of a command as a shell reads them; undefined where a quote has no end. */
function shellWords(command: string): string[] | undefined {
  const word = /(?:[^\s'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+/y
  const words: string[] = []
  for (let at = 0; at < command.length; at = word.lastIndex) {
    word.lastIndex = at + (/^\s*/.exec(command.slice(at))?.[0].length ?? 0)
    if (word.lastIndex === command.length) break
    const [found] = word.exec(command) ?? []
    if (found === undefined) return undefined
    words.push(unquoted(found))
  }
  return words
}

function unquoted(word: string): string {
  return word.replace(/'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g, (_all, single, double, escaped) => {
    if (double === undefined) return single ?? escaped
    return double.replace(/\\(?:(["\\$`])|\n)/g, "$1")
  })
}
