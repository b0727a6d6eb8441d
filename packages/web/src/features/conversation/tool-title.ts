import type { ToolCall } from "../../session/stream/thread.ts"

/** A tool call in a few words: what is being done, and to what. */
export interface ToolTitle {
  verb: string
  /** A path, a command or a name; may be empty. */
  subject: string
  isCode: boolean
}

const verbs: Record<string, string> = { read: "Read", write: "Write", edit: "Edit", glob: "Find", grep: "Search" }

export function toolTitle({ tool, name, path, command, args }: ToolCall): ToolTitle {
  if (command !== null) return { verb: "Run", subject: command, isCode: true }
  const verb = verbs[tool]
  if (path !== null) return { verb: verb ?? "Use", subject: path, isCode: true }
  const fields = fieldsOf(args)
  if (verb) return { verb, subject: fields.pattern ?? fields.path ?? "", isCode: true }
  if (isHelper(name)) return { verb: "Subagent", subject: fields.description ?? "", isCode: false }
  const [, own] = /^mcp_{1,2}[^_]+_{1,2}(.+)$/.exec(name ?? "") ?? []
  return {
    verb: own ? own.replaceAll("_", " ") : (name ?? tool),
    subject: fields.name ?? fields.query ?? "",
    isCode: false,
  }
}

/** Returns true if the tool is one of the program's own sub-agents. */
export function isHelper(name: string | null): boolean {
  return name === "Task" || name === "Agent" || name === "task"
}

function fieldsOf(args: string | null): Record<string, string> {
  try {
    const parsed: unknown = JSON.parse(args ?? "{}")
    const entries = typeof parsed === "object" && parsed !== null ? Object.entries(parsed) : []
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"))
  } catch {
    // Long arguments are truncated, and then aren't valid JSON.
    return {}
  }
}
