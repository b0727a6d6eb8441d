import { isoTime } from "../../time.ts"
import type { AgentFolders, AgentTask } from "../clis/cli.ts"
import type { AgentEvent, PermissionDecision, Protocol, StreamJsonDialect } from "../clis/protocol.ts"
import type { Problem } from "../clis/schema.ts"
import type { QuestionContent } from "../questions/schema.ts"
import {
  asNumber,
  asObject,
  asObjects,
  asText,
  isObject,
  type JsonObject,
  jsonProtocol,
  line,
  modeMismatch,
  type Reply,
} from "./json-protocol.ts"
import { diffIn, permissionRequest } from "./permission-request.ts"
import { problemFrom } from "./problems.ts"
import { createStreamJsonUsage } from "./stream-json-usage.ts"
import { createTaskList, type TaskList, todosOfTool } from "./todos.ts"
import { clip, toolUse } from "./tool-kinds.ts"
import { toolOutput } from "./tool-output.ts"

/**
 * Creates a client for Claude's stream-json and its control protocol, which Qwen uses too. After the task, more
 * messages may be sent.
 */
export function streamJson(task: AgentTask, dialect: StreamJsonDialect): Protocol {
  let working = true
  let interrupts = 0
  let limit: Problem | undefined
  const permissions = new Map<string, JsonObject>()
  const usage = createStreamJsonUsage(task, dialect)
  const about: Turn = { folders: task, tasks: createTaskList() }

  function onMessage(message: JsonObject): Reply {
    const wrong = wrongMode(message)
    if (wrong !== undefined) {
      const problem: Problem = { kind: "unknown", message: modeMismatch(dialect.askingModes?.[0] ?? "", wrong) }
      return { events: [{ type: "turn_failed", problem }], send: [interruption()] }
    }
    switch (message.type) {
      case "control_request":
        return permissionRequested(message)
      case "rate_limit_event": {
        const { event, problem } = quotaOf(asObject(message.rate_limit_info))
        limit = problem ?? limit
        return { events: event ? [event] : [] }
      }
      case "result":
        working = false
        return { events: [...usage.turnEnded(message), resultEvent(message, limit)] }
      case "user":
        return { events: [...usage.soFar(), ...messageEvents(message, about)] }
      default:
        usage.add(asObject(message.message), asText(message.parent_tool_use_id) === "")
        return { events: messageEvents(message, about) }
    }
  }

  /** Returns the reported mode if it may let the agent act without asking. */
  function wrongMode({ type, subtype, permissionMode, permission_mode }: JsonObject): string | undefined {
    if (type !== "system" || !dialect.askingModes) return undefined
    const reported = asText(permissionMode ?? permission_mode)
    if (reported === "" && subtype !== "init") return undefined
    return dialect.askingModes.includes(reported) ? undefined : reported
  }

  function interruption(): object {
    return request(`interrupt-${++interrupts}`, { subtype: "interrupt" })
  }

  /** Converts a tool request to a question. Plans and choices are tool requests too. */
  function questionOf(tool: string, given: unknown): QuestionContent {
    const input = asObject(given)
    if (tool === "ExitPlanMode") return { kind: "plan", plan: asText(input.plan) }
    if (tool === "AskUserQuestion") return { kind: "choice", questions: asObjects(input.questions).map(choiceOf) }
    return {
      kind: "permission",
      ...permissionRequest(toolUse(tool, input, task), input, { isUnreadable: !isObject(given) }),
    }
  }

  /** Handles a permission request. Some agents send permission requests even in bypass mode. */
  function permissionRequested({ request_id, request }: JsonObject): Reply {
    const { subtype, tool_name, input } = asObject(request)
    if (subtype !== "can_use_tool") return {}
    const id = asText(request_id)
    permissions.set(id, asObject(input))
    return { events: [{ type: "permission_asked", id, question: questionOf(asText(tool_name), input) }] }
  }

  function encodeDecision(id: string, decision: PermissionDecision): string {
    const input = permissions.get(id)
    if (!input) return ""
    permissions.delete(id)
    const response =
      decision.effect === "allow"
        ? { behavior: "allow", updatedInput: decision.answers ? { ...input, answers: decision.answers } : input }
        : { behavior: "deny", message: decision.instead ?? decision.reason ?? "The user denied this." }
    const result = { subtype: "success", request_id: id, response }
    return line({ type: "control_response", response: result })
  }

  return jsonProtocol({
    open: () => [request("init", { subtype: "initialize", hooks: null }), userMessage(task.prompt)],
    onMessage,
    encodeDecision,
    encodeMessage(text) {
      working = true
      return line(userMessage(text))
    },
    interrupt: () => (working ? line(interruption()) : ""),
  })
}

function choiceOf({ question, header, options, multiSelect }: JsonObject) {
  const labels = asObjects(options).map(({ label, description }) => ({
    label: asText(label),
    description: asText(description),
  }))
  return { question: asText(question), header: asText(header), options: labels, multi: multiSelect === true }
}

function request(id: string, body: object): object {
  return { type: "control_request", request_id: id, request: body }
}

function userMessage(text: string): object {
  const message = { role: "user", content: [{ type: "text", text }] }
  return { type: "user", message, parent_tool_use_id: null, session_id: "" }
}

/** Facts about a turn that are needed to interpret its messages. */
interface Turn {
  folders: AgentFolders
  tasks: TaskList
}

function messageEvents(message: JsonObject, turn: Turn): AgentEvent[] {
  if (message.type === "system") return systemEvents(message)
  const content = blocksOf(asObject(message.message).content)
  // Skip errors that the CLI writes as if they were model output. The turn's result repeats them with their
  // classification.
  if (message.type === "assistant" && message.is_api_error_message !== true) {
    const parent = asText(message.parent_tool_use_id)
    const about = { message: asText(asObject(message.message).id), ...(parent && { parent }) }
    return content.flatMap((block) => blockEvents(block, about, turn))
  }
  if (message.type === "user") return content.flatMap((block) => toolResult(block, turn))
  return []
}

/** Returns the blocks of a message. A plain text counts as one block. */
function blocksOf(content: unknown): JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : asObjects(content)
}

function systemEvents(message: JsonObject): AgentEvent[] {
  if (message.subtype === "init") {
    return [{ type: "session", id: asText(message.session_id), model: asText(message.model) || null }]
  }
  if (message.subtype === "api_retry") {
    const reported = {
      message: asText(message.error) || "The model's API failed.",
      status: asNumber(message.error_status),
    }
    return [{ type: "retrying", problem: problemFrom(reported) }]
  }
  if (message.subtype === "retry") {
    return [{ type: "retrying", problem: { kind: "unknown", message: "The model's API failed. Retrying." } }]
  }
  if (message.subtype === "permission_denied") return [{ type: "notice", text: asText(message.message) }]
  return []
}

/** Maximum length of a change that is shown. The complete change can be seen in the file. */
const DIFF_CHARS = 8000

function blockEvents(
  block: JsonObject,
  about: { message: string; parent?: string },
  { folders, tasks }: Turn,
): AgentEvent[] {
  const text = asText(block.text ?? block.thinking)
  if (block.type === "text" && /^\[API Error: /.test(text)) return []
  if (block.type === "text" || block.type === "thinking") return text ? [{ type: block.type, text, ...about }] : []
  if (block.type !== "tool_use") return []
  const [name, input] = [asText(block.name), asObject(block.input)]
  const todos = todosOfTool(name, input)
  if (todos) return [{ type: "todos", todos }]
  if (tasks.use(asText(block.id), name, input)) return []
  const use = toolUse(name, input, folders)
  const diff = use.tool === "edit" || use.tool === "write" ? diffIn(input) : undefined
  const { parent } = about
  return [
    {
      type: "tool_started",
      id: asText(block.id),
      ...use,
      ...(diff !== undefined && { diff: clip(diff, DIFF_CHARS) }),
      ...(parent && { parent }),
    },
  ]
}

function toolResult(block: JsonObject, { tasks }: Turn): AgentEvent[] {
  if (block.type !== "tool_result") return []
  const texts =
    typeof block.content === "string" ? [block.content] : asObjects(block.content).map(({ text }) => asText(text))
  const ok = block.is_error !== true
  const todos = tasks.result(asText(block.tool_use_id), ok, texts.join("\n"))
  if (todos) return todos.length > 0 ? [{ type: "todos", todos }] : []
  const said = toolOutput(texts.join("\n"))
  const exit = /^(?:Error: )?Exit code:? (\d+)/m.exec(said.summary)
  const exitCode = exit ? Number(exit[1]) : null
  return [{ type: "tool_finished", id: asText(block.tool_use_id), ok, exitCode, ...said }]
}

function quotaOf(info: JsonObject): { event?: AgentEvent; problem?: Problem } {
  const seconds = asNumber(info.resetsAt)
  const resetsAt = seconds === null ? null : isoTime(seconds * 1000)
  const window = asText(info.rateLimitType) || "unknown"
  const used = asNumber(info.utilization)
  const usedPercent = info.status === "rejected" ? 100 : used === null ? null : Math.round(used * 1000) / 10
  const problem: Problem = {
    kind: "quota_exhausted",
    message: `The ${window.replaceAll("_", " ")} limit has been reached.`,
    ...(resetsAt && { resets_at: resetsAt }),
  }
  return {
    ...(usedPercent !== null && { event: { type: "quota", window, usedPercent, resetsAt } }),
    ...(info.status === "rejected" && { problem }),
  }
}

function resultEvent(message: JsonObject, limit: Problem | undefined): AgentEvent {
  if (message.is_error !== true) return { type: "turn_completed" }
  if (/^aborted/.test(asText(message.terminal_reason))) {
    return { type: "turn_failed", problem: { kind: "cancelled", message: "The turn was interrupted." } }
  }
  // The agent hit one of its own limits. Don't classify the model's last words, because they may be about anything.
  if (/^error_max/.test(asText(message.subtype))) {
    return { type: "turn_failed", problem: { kind: "unknown", message: errorText(message) } }
  }
  const reported = {
    message: errorText(message),
    status: asNumber(message.api_error_status),
    resetsAt: limit?.resets_at,
  }
  const problem = problemFrom({ ...reported, kind: message.api_error === "connection_failed" ? "network" : undefined })
  const overLimit = limit !== undefined && problem.kind === "rate_limited"
  return { type: "turn_failed", problem: overLimit ? { ...problem, kind: "quota_exhausted" } : problem }
}

function errorText(message: JsonObject): string {
  const errors = Array.isArray(message.errors) ? message.errors.filter((error) => typeof error === "string") : []
  return (
    asText(message.result) || asText(asObject(message.error).message) || errors.join("\n") || asText(message.subtype)
  )
}
