import { parseJson } from "../../text/parse-json.ts"
import type { Todo } from "../clis/schema.ts"
import { asObject, asText, type JsonObject } from "./json-protocol.ts"

const MAX_TODOS = 100
const MAX_CHARS = 500

const STATUSES: ReadonlyMap<string, Todo["status"]> = new Map([
  ["in_progress", "in_progress"],
  ["inProgress", "in_progress"],
  ["completed", "completed"],
])

/** Tools that programs use to write their to-do lists. */
const TOOLS: ReadonlySet<string> = new Set(["TodoWrite", "todo_write", "todowrite", "write_todos"])

/**
 * Returns the to-do list that a tool use writes. Undefined for other tools. Models may omit any field, and may write
 * the list or its entries as text.
 */
export function todosOfTool(name: string, input: JsonObject): Todo[] | undefined {
  if (!TOOLS.has(name)) return undefined
  const { todos } = input
  return todosOf(typeof todos === "string" ? (parseJson(todos) ?? todos.split("\n")) : todos)
}

/** Converts a program's to-do list to the common form. Drops entries without text. */
export function todosOf(list: unknown): Todo[] {
  const entries = Array.isArray(list) ? list : []
  const todos = entries.map((entry): Todo => {
    if (typeof entry === "string") return todoInLine(entry)
    const { content, step, description, subject, status } = asObject(entry)
    const text = asText(content) || asText(step) || asText(subject) || asText(description)
    return { text: text.slice(0, MAX_CHARS), status: statusOf(status) }
  })
  return todos.filter(({ text }) => text.trim() !== "").slice(0, MAX_TODOS)
}

/** Parses a line of a Markdown list, such as `- [x] Test it`. */
function todoInLine(line: string): Todo {
  const [, mark = " ", text = ""] =
    /^(?:[-*+] |\d+[.)] )?\s*(?:\[([ xX~-])\] )?\s*(.*)$/s.exec(line.trim().slice(0, MAX_CHARS)) ?? []
  return { text, status: "xX".includes(mark) ? "completed" : "~-".includes(mark) ? "in_progress" : "pending" }
}

function statusOf(status: unknown): Todo["status"] {
  return STATUSES.get(asText(status)) ?? "pending"
}

/** To-do list that an agent changes one entry at a time, with Claude Code's tools `TaskCreate` and `TaskUpdate`. */
export interface TaskList {
  /** Returns true if a tool use belongs to the list. In this case, the tool's result changes the list. */
  use(id: string, name: string, input: JsonObject): boolean
  /** Returns the list after a tool's result, or undefined if the tool use doesn't belong to the list. */
  result(id: string, ok: boolean, text: string): Todo[] | undefined
}

export function createTaskList(): TaskList {
  const uses = new Map<string, { name: string; input: JsonObject }>()
  const tasks = new Map<string, Todo>()

  function change(name: string, input: JsonObject, text: string): void {
    if (name === "TaskList") {
      for (const [, id = "", status, subject = ""] of text.matchAll(/^#([\w-]{1,64})\.? \[(\w+)\] (.*)$/gm)) {
        tasks.set(id, { text: subject.slice(0, MAX_CHARS), status: statusOf(status) })
      }
      return
    }
    const created = /#([\w-]{1,64}) created/.exec(text)?.[1] ?? String(tasks.size + 1)
    const id = name === "TaskCreate" ? created : asText(input.taskId)
    if (asText(input.status) === "deleted") tasks.delete(id)
    else {
      const before = tasks.get(id) ?? { text: `Task ${id}`, status: "pending" as const }
      const status = input.status === undefined ? before.status : statusOf(input.status)
      tasks.set(id, { text: asText(input.subject).slice(0, MAX_CHARS) || before.text, status })
    }
  }

  return {
    use(id, name, input) {
      const isOurs = name === "TaskCreate" || name === "TaskUpdate" || name === "TaskList"
      if (isOurs) uses.set(id, { name, input })
      return isOurs
    },
    result(id, ok, text) {
      const use = uses.get(id)
      uses.delete(id)
      if (!use) return undefined
      if (ok) change(use.name, use.input, text)
      return [...tasks.values()].slice(-MAX_TODOS)
    },
  }
}
