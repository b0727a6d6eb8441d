import type { AgentTask } from "../clis/cli.ts"
import type { AgentEvent, Protocol } from "../clis/protocol.ts"
import { codexUsage, itemFinished, itemStarted } from "./codex-items.ts"
import { asObject, asText, type JsonObject, jsonProtocol } from "./json-protocol.ts"
import { problemFrom } from "./problems.ts"

/** Creates a client for `codex exec --json`. It accepts the task as text, and no further input. */
export function codexExec(task: AgentTask): Protocol {
  const started = new Set<string>()

  function eventsOf(message: JsonObject): AgentEvent[] {
    const item = asObject(message.item)
    switch (message.type) {
      case "thread.started":
        return [{ type: "session", id: asText(message.thread_id), model: task.model }]
      case "item.started":
      case "item.completed":
        return itemEvents(item, message.type === "item.completed")
      case "error": {
        // `turn.failed` repeats final errors, so only handle retries here.
        const retry = /^Reconnecting\.\.\. \d+\/\d+ \(([\s\S]*)\)$/.exec(asText(message.message))
        return retry ? [{ type: "retrying", problem: problemFrom({ message: retry[1] ?? "" }) }] : []
      }
      case "turn.completed":
        return [...usage(asObject(message.usage)), { type: "turn_completed" }]
      case "turn.failed":
        return [{ type: "turn_failed", problem: problemFrom({ message: asText(asObject(message.error).message) }) }]
      default:
        return []
    }
  }

  function itemEvents(item: JsonObject, finished: boolean): AgentEvent[] {
    const text = asText(item.text)
    if (item.type === "agent_message") return text ? [{ type: "text", text, message: asText(item.id) }] : []
    if (item.type === "reasoning") return text ? [{ type: "thinking", text, message: asText(item.id) }] : []
    // An item of the type `error` is a warning. The turn continues.
    if (item.type === "error") return [{ type: "notice", text: asText(item.message) }]
    const startedEvent = itemStarted(item, task)
    if (!startedEvent) return []
    const first = started.has(asText(item.id)) ? [] : [startedEvent]
    started.add(asText(item.id))
    return finished ? [...first, itemFinished(item)] : first
  }

  /**
   * Returns the usage of a new thread. Returns nothing for a resumed thread: it reports a total, so this turn's share
   * is unknown.
   */
  function usage(counts: JsonObject): AgentEvent[] {
    if (task.resume !== null) return []
    const { input_tokens, cached_input_tokens, cache_write_input_tokens, output_tokens } = counts
    const turn = codexUsage(input_tokens, cached_input_tokens, cache_write_input_tokens, output_tokens)
    return [{ type: "usage", usage: turn, costUsd: null }]
  }

  const protocol = jsonProtocol({ open: () => [], onMessage: (message) => ({ events: eventsOf(message) }) })
  return { ...protocol, open: () => task.prompt }
}
