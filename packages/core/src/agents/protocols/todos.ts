import type { Todo } from "../clis/schema.ts"
import { asObjects, asText, type JsonObject } from "./json-protocol.ts"

const MAX_TODOS = 100
const MAX_CHARS = 500

const STATUSES: ReadonlyMap<string, Todo["status"]> = new Map([
  ["in_progress", "in_progress"],
  ["inProgress", "in_progress"],
  ["completed", "completed"],
])

/** Tools with which programs write their own to-do lists. */
const TOOLS: ReadonlySet<string> = new Set(["TodoWrite", "todo_write", "todowrite", "write_todos"])

/** Returns the to-do list written by a tool use; undefined for other tools. Models may omit any field. */
export function todosOfTool(name: string, input: JsonObject): Todo[] | undefined {
  return TOOLS.has(name) ? todosOf(asObjects(input.todos)) : undefined
}

/** Converts a program's to-do list to the common form. Drops entries without text. */
export function todosOf(entries: JsonObject[]): Todo[] {
  const todos = entries.map(({ content, step, description, status }): Todo => {
    const text = asText(content) || asText(step) || asText(description)
    return { text: text.slice(0, MAX_CHARS), status: STATUSES.get(asText(status)) ?? "pending" }
  })
  return todos.filter(({ text }) => text.trim() !== "").slice(0, MAX_TODOS)
}
