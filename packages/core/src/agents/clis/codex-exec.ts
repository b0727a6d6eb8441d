import type { AgentEvent, AgentTask, Dialogue } from "./cli.ts"
import { codexUsage, itemFinished, itemStarted } from "./codex-items.ts"
import { jsonDialogue, type Message, objectOf, textOf } from "./json-dialogue.ts"
import { problemFrom } from "./problems.ts"

/** `codex exec --json`: the task goes in as text, and nothing after it. */
export function codexExec(task: AgentTask): Dialogue {
  const started = new Set<string>()

  function hear(message: Message): AgentEvent[] {
    const item = objectOf(message.item)
    switch (message.type) {
      case "thread.started":
        return [{ type: "session", id: textOf(message.thread_id), model: task.model }]
      case "item.started":
      case "item.completed":
        return itemEvents(item, message.type === "item.completed")
      case "error": {
        // The end says the same again; before it, these are retries.
        const retry = /^Reconnecting\.\.\. \d+\/\d+ \(([\s\S]*)\)$/.exec(textOf(message.message))
        return retry ? [{ type: "retrying", problem: problemFrom({ message: retry[1] ?? "" }) }] : []
      }
      case "turn.completed":
        return [...usage(objectOf(message.usage)), { type: "turn_completed" }]
      case "turn.failed":
        return [{ type: "turn_failed", problem: problemFrom({ message: textOf(objectOf(message.error).message) }) }]
      default:
        return []
    }
  }

  function itemEvents(item: Message, finished: boolean): AgentEvent[] {
    const text = textOf(item.text)
    if (item.type === "agent_message") return text ? [{ type: "text", text, message: textOf(item.id) }] : []
    if (item.type === "reasoning") return text ? [{ type: "thinking", text, message: textOf(item.id) }] : []
    // An item that is an error is a warning: the turn goes on.
    if (item.type === "error") return [{ type: "notice", text: textOf(item.message) }]
    const begun = itemStarted(item, task.cwd)
    if (!begun) return []
    const first = started.has(textOf(item.id)) ? [] : [begun]
    started.add(textOf(item.id))
    return finished ? [...first, itemFinished(item)] : first
  }

  /** It counts the whole thread, so of a resumed one it doesn't tell what this turn took. */
  function usage(counts: Message): AgentEvent[] {
    if (task.resume !== null) return []
    const { input_tokens, cached_input_tokens, cache_write_input_tokens, output_tokens } = counts
    const turn = codexUsage(input_tokens, cached_input_tokens, cache_write_input_tokens, output_tokens)
    return [{ type: "usage", usage: turn, costUsd: null }]
  }

  const dialogue = jsonDialogue({ open: () => [], hear: (message) => ({ events: hear(message) }) })
  return { ...dialogue, open: () => task.prompt }
}
