import type { AgentEvent, AgentTask, Dialogue, PermissionDecision, Usage } from "./cli.ts"
import { jsonDialogue, listOf, type Message, numberOf, objectOf, type Said, textOf } from "./json-dialogue.ts"
import { problemFrom } from "./problems.ts"
import type { Problem } from "./schema.ts"
import { clip, toolUse } from "./tool-kinds.ts"

/** The differences between the CLIs that speak Claude's control protocol. */
interface Dialect {
  /** Whether `input_tokens` counts what came from the cache too. */
  inputHoldsCacheRead: boolean
  /** Whether a resumed session reports what it used since it began, which says nothing about this turn. */
  resumedUsageIsTotal: boolean
}

const SUMMARY_CHARS = 500

/**
 * Claude's stream-json with its control protocol, as Qwen speaks it too: the task goes in as a user message, and more
 * messages may follow while it works.
 */
export function streamJson(task: AgentTask, dialect: Dialect): Dialogue {
  let working = true
  let interrupts = 0
  let limit: Problem | undefined
  const permissions = new Map<string, Message>()
  // Costs are of the native session so far: unknown at first where that is older than this process.
  let costBefore: number | null = task.resume === null ? 0 : null

  function hear(message: Message): Said {
    switch (message.type) {
      case "control_request":
        return asked(message)
      case "rate_limit_event": {
        const { event, problem } = quota(objectOf(message.rate_limit_info))
        limit = problem ?? limit
        return { events: event ? [event] : [] }
      }
      case "result":
        working = false
        return { events: [...usage(message), resultEvent(message, limit)] }
      default:
        return { events: plainEvents(message, task.cwd) }
    }
  }

  /** Agents run in their bypass mode, but some ask all the same. */
  function asked({ request_id, request }: Message): Said {
    const { subtype, tool_name, input } = objectOf(request)
    if (subtype !== "can_use_tool") return {}
    const id = textOf(request_id)
    permissions.set(id, objectOf(input))
    return { events: [{ type: "permission_asked", id, tool: textOf(tool_name), input: objectOf(input) }] }
  }

  function answer(id: string, decision: PermissionDecision): string {
    const input = permissions.get(id)
    if (!input) return ""
    permissions.delete(id)
    const response =
      decision === "allow"
        ? { behavior: "allow", updatedInput: input }
        : { behavior: "deny", message: "The user denied this." }
    const result = { subtype: "success", request_id: id, response }
    return `${JSON.stringify({ type: "control_response", response: result })}\n`
  }

  function usage(message: Message): AgentEvent[] {
    const total = numberOf(message.total_cost_usd)
    const costUsd = total === null || costBefore === null ? null : total - costBefore
    costBefore = total
    if (task.resume !== null && dialect.resumedUsageIsTotal) return []
    return [{ type: "usage", usage: usageOf(objectOf(message.usage), dialect), costUsd }]
  }

  return jsonDialogue({
    open: () => [request("init", { subtype: "initialize", hooks: null }), userMessage(task.prompt)],
    hear,
    answer,
    say(text) {
      working = true
      return `${JSON.stringify(userMessage(text))}\n`
    },
    interrupt: () =>
      working ? `${JSON.stringify(request(`interrupt-${++interrupts}`, { subtype: "interrupt" }))}\n` : "",
  })
}

function request(id: string, body: object): object {
  return { type: "control_request", request_id: id, request: body }
}

function userMessage(text: string): object {
  const message = { role: "user", content: [{ type: "text", text }] }
  return { type: "user", message, parent_tool_use_id: null, session_id: "" }
}

function plainEvents(message: Message, cwd: string): AgentEvent[] {
  if (message.type === "system") return systemEvents(message)
  const content = listOf(objectOf(message.message).content)
  // Text of the harness in the model's place comes again, with its class, as the result.
  if (message.type === "assistant" && message.is_api_error_message !== true) {
    return content.flatMap((block) => blockEvents(block, textOf(objectOf(message.message).id), cwd))
  }
  if (message.type === "user") return content.flatMap(toolResult)
  return []
}

function systemEvents(message: Message): AgentEvent[] {
  if (message.subtype === "init") {
    return [{ type: "session", id: textOf(message.session_id), model: textOf(message.model) || null }]
  }
  if (message.subtype === "api_retry") {
    const told = { message: textOf(message.error) || "The model's API failed.", status: numberOf(message.error_status) }
    return [{ type: "retrying", problem: problemFrom(told) }]
  }
  if (message.subtype === "retry") {
    return [{ type: "retrying", problem: { kind: "unknown", message: "The model's API failed and is asked again." } }]
  }
  if (message.subtype === "permission_denied") return [{ type: "notice", text: textOf(message.message) }]
  return []
}

function blockEvents(block: Message, message: string, cwd: string): AgentEvent[] {
  const text = textOf(block.text ?? block.thinking)
  if (block.type === "text" && /^\[API Error: /.test(text)) return []
  if (block.type === "text" || block.type === "thinking") return text ? [{ type: block.type, text, message }] : []
  if (block.type !== "tool_use") return []
  return [{ type: "tool_started", id: textOf(block.id), ...toolUse(textOf(block.name), objectOf(block.input), cwd) }]
}

function toolResult(block: Message): AgentEvent[] {
  if (block.type !== "tool_result") return []
  const texts =
    typeof block.content === "string" ? [block.content] : listOf(block.content).map(({ text }) => textOf(text))
  const ok = block.is_error !== true
  const summary = clip(texts.join("\n").trim(), SUMMARY_CHARS)
  const exit = /^(?:Error: )?Exit code:? (\d+)/m.exec(summary)
  const exitCode = exit ? Number(exit[1]) : null
  return [{ type: "tool_finished", id: textOf(block.tool_use_id), ok, exitCode, summary }]
}

function quota(info: Message): { event?: AgentEvent; problem?: Problem } {
  const seconds = numberOf(info.resetsAt)
  const resetsAt = seconds === null ? null : new Date(seconds * 1000).toISOString()
  const window = textOf(info.rateLimitType) || "unknown"
  const used = numberOf(info.utilization)
  const usedPercent = info.status === "rejected" ? 100 : used === null ? null : Math.round(used * 1000) / 10
  const problem: Problem = {
    kind: "quota_exhausted",
    message: `The ${window.replaceAll("_", " ")} limit is reached.`,
    ...(resetsAt && { resets_at: resetsAt }),
  }
  return {
    ...(usedPercent !== null && { event: { type: "quota", window, usedPercent, resetsAt } }),
    ...(info.status === "rejected" && { problem }),
  }
}

function resultEvent(message: Message, limit: Problem | undefined): AgentEvent {
  if (message.is_error !== true) return { type: "turn_completed" }
  if (/^aborted/.test(textOf(message.terminal_reason))) {
    return { type: "turn_failed", problem: { kind: "cancelled", message: "The turn was interrupted." } }
  }
  const told = { message: errorText(message), status: numberOf(message.api_error_status), resetsAt: limit?.resets_at }
  const problem = problemFrom({ ...told, kind: message.api_error === "connection_failed" ? "network" : undefined })
  const overLimit = limit !== undefined && problem.kind === "rate_limited"
  return { type: "turn_failed", problem: overLimit ? { ...problem, kind: "quota_exhausted" } : problem }
}

function errorText(message: Message): string {
  const errors = Array.isArray(message.errors) ? message.errors.filter((error) => typeof error === "string") : []
  return (
    textOf(message.result) || textOf(objectOf(message.error).message) || errors.join("\n") || textOf(message.subtype)
  )
}

function usageOf(usage: Message, { inputHoldsCacheRead }: Dialect): Usage {
  const input = numberOf(usage.input_tokens)
  const cacheRead = numberOf(usage.cache_read_input_tokens)
  return {
    input: inputHoldsCacheRead && input !== null ? input - (cacheRead ?? 0) : input,
    cache_read: cacheRead,
    cache_write: numberOf(usage.cache_creation_input_tokens),
    output: numberOf(usage.output_tokens),
  }
}
