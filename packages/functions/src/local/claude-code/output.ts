import type { AgentEvent, AgentUsage } from "@switchyard/core/agents/clis/protocol"
import type { Problem } from "@switchyard/core/agents/clis/schema"
import { asNumber, asObject, asText, isObject, type JsonObject } from "@switchyard/core/agents/protocols/json-protocol"
import { streamJson } from "@switchyard/core/agents/protocols/stream-json"
import type { ModelError } from "@switchyard/core/models/errors"
import { noUsage, type Usage } from "@switchyard/core/models/provider"
import { parseJson } from "@switchyard/core/text/parse-json"
import { toModelError } from "./problems.ts"

/** Part of the program's output that a model call needs. */
type OutputEvent =
  | { type: "accepted" }
  | { type: "text"; text: string }
  | { type: "thinking"; chars: number }
  | { type: "ended"; stop: "end" | "max_tokens" | "refusal"; usage: Usage; costUsd: number | undefined }
  | { type: "ended"; stop: "failed"; error: ModelError }

/**
 * Creates a reader for Claude Code's output in print mode. The output has the same format as in an agent's turn. At the
 * output limit, the reader ends the answer immediately, because the program would otherwise ask the model to continue.
 */
export function readOutput(): { read(line: string): OutputEvent[]; retrying(): Problem | undefined } {
  const task = { prompt: "", root: "/", cwd: "/", home: "/", model: null, reasoning: null, resume: null }
  const protocol = streamJson(task, { inputIncludesCacheRead: false, resumedUsageIsTotal: false })
  const encoder = new TextEncoder()
  let reported: { usage: AgentUsage; costUsd: number | null } | undefined
  let streamed: Usage = noUsage
  let retrying: Problem | undefined
  let isRefused = false
  /** IDs of messages whose text has already arrived in parts. */
  const inParts = new Set<string>()
  let current = ""

  function streamEvent(event: JsonObject): OutputEvent[] {
    const delta = asObject(event.delta)
    if (event.type === "message_start") {
      const message = asObject(event.message)
      current = asText(message.id)
      streamed = usageIn(asObject(message.usage))
      return [{ type: "accepted" }]
    }
    if (event.type === "content_block_delta") {
      if (delta.type === "thinking_delta") return [{ type: "thinking", chars: asText(delta.thinking).length }]
      inParts.add(current)
      return delta.type === "text_delta" ? [{ type: "text", text: asText(delta.text) }] : []
    }
    if (event.type !== "message_delta") return []
    streamed = { ...streamed, output: asNumber(asObject(event.usage).output_tokens) ?? streamed.output }
    isRefused = delta.stop_reason === "refusal"
    const isCut = delta.stop_reason === "max_tokens"
    return isCut ? [{ type: "ended", stop: "max_tokens", usage: streamed, costUsd: undefined }] : []
  }

  function protocolEvent(event: AgentEvent): OutputEvent[] {
    switch (event.type) {
      case "text":
        return inParts.has(event.message) ? [] : [{ type: "text", text: event.text }]
      case "usage":
        reported = event
        return []
      case "retrying":
        retrying = event.problem
        return []
      case "turn_failed":
        return isRefused ? [ended("refusal")] : [{ type: "ended", stop: "failed", error: toModelError(event.problem) }]
      case "turn_completed":
        return [ended(isRefused ? "refusal" : "end")]
      default:
        return []
    }
  }

  function ended(stop: "end" | "refusal"): OutputEvent {
    const { usage, costUsd } = reported ?? {}
    const counts = usage && {
      ...{ input: usage.input, cacheRead: usage.cache_read },
      ...{ cacheWrite: usage.cache_write, output: usage.output },
    }
    return { type: "ended", stop, usage: counts ?? streamed, costUsd: costUsd ?? undefined }
  }

  return {
    read(line) {
      const message = parseJson(line)
      if (!isObject(message)) return []
      if (message.type === "stream_event") return streamEvent(asObject(message.event))
      return protocol.parse(encoder.encode(`${line}\n`)).events.flatMap(protocolEvent)
    },
    retrying: () => retrying,
  }
}

function usageIn(usage: JsonObject): Usage {
  return {
    input: asNumber(usage.input_tokens),
    cacheRead: asNumber(usage.cache_read_input_tokens),
    cacheWrite: asNumber(usage.cache_creation_input_tokens),
    output: asNumber(usage.output_tokens),
  }
}
