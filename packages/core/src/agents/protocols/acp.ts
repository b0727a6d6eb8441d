import { type AgentTask, modeOf } from "../clis/cli.ts"
import type { AcpDialect, AgentEvent, PermissionDecision, Protocol } from "../clis/protocol.ts"
import type { Problem } from "../clis/schema.ts"
import { createAcpPermissions } from "./acp-permissions.ts"
import { type AcpToolCalls, createAcpToolCalls } from "./acp-tool-calls.ts"
import { actedUnasked, lostSession, modeFault, modeIn, sessionIdFault, toolServers } from "./added-acp.ts"
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
import { problemFrom } from "./problems.ts"
import { todosOf } from "./todos.ts"

const INITIALIZE = 1
const SESSION = 2
const PROMPT = 3
const MODE = 4

/**
 * Creates a client for version 1 of the Agent Client Protocol. It initializes the agent, opens a session and sends one
 * prompt. Refuses unknown requests.
 */
export function acp(task: AgentTask, dialect: AcpDialect = {}): Protocol {
  /** False in bypass mode. In all other modes, the agent must ask, and the policy answers. */
  const mustAsk = modeOf(task) !== "bypass"
  let isModeSet = false
  let sessionId = task.resume
  // True while a resumed session replays its history. The replayed events are skipped.
  let replaying = task.resume !== null
  /**
   * Prompts without a response yet. While the first prompt is running, a person may add others. The turn ends with the
   * last one.
   */
  const prompts = new Set<unknown>()
  /** Other requests without a response yet. */
  const awaited = new Set<unknown>([INITIALIZE])
  let lastPrompt = MODE
  const calls = createAcpToolCalls(task)
  const permissions = createAcpPermissions({ mustAsk })
  /** Tool calls that were allowed or denied. */
  const decided = new Set<string>()

  function handleResponse(response: JsonObject): Reply {
    const wasPrompt = prompts.delete(response.id)
    // An agent may repeat a response, or respond to a request that this client didn't send.
    if (!wasPrompt && response.id !== null && !awaited.delete(response.id)) return {}
    if (response.error) return handleError(asObject(response.error), response.id, wasPrompt)
    const result = asObject(response.result)
    if (response.id === INITIALIZE) return initialized(result)
    if (response.id === SESSION) return sessionOpened(result)
    // An agent that doesn't support the mode may answer with null instead of an error.
    if (response.id === MODE) return changedMode(isObject(response.result))
    if (!wasPrompt) return {}
    const last = prompts.size === 0 ? [...calls.endDenied(), turnEnd(asText(result.stopReason))] : []
    return { events: [...promptUsage(result), ...last] }
  }

  function handleError(error: JsonObject, id: unknown, wasPrompt: boolean): Reply {
    if (id === MODE) return changedMode(false)
    const problem = problemOf(error, dialect)
    if (wasPrompt && prompts.size > 0) return { events: [{ type: "notice", text: problem.message }] }
    // Some agents report no details. If resuming fails with a vague error, assume that the session is lost.
    const vague = problem.kind === "unknown" || problem.kind === "overloaded"
    const lost = id === SESSION && task.resume !== null && vague
    const failure = lost ? { ...problem, kind: "session_not_found" as const } : problem
    return { events: [...calls.endDenied(), { type: "turn_failed", problem: failure }] }
  }

  function initialized({ agentInfo, agentCapabilities }: JsonObject): Reply {
    const { triedVersion } = dialect
    const version = asText(asObject(agentInfo).version)
    if (mustAsk && triedVersion !== undefined && version !== triedVersion) {
      return failed(untriedVersion(version, triedVersion))
    }
    const capabilities = asObject(agentCapabilities)
    if (dialect.added && task.resume !== null && capabilities.loadSession !== true) return lostSession()
    return { send: [openSession(dialect.added ? toolServers(task, capabilities) : [])] }
  }

  function openSession(mcpServers: object[]): object {
    const params = { cwd: task.cwd, mcpServers }
    awaited.add(SESSION)
    return task.resume === null
      ? call(SESSION, "session/new", params)
      : call(SESSION, "session/load", { ...params, sessionId: task.resume })
  }

  function sessionOpened(result: JsonObject): Reply {
    sessionId = asText(result.sessionId) || sessionId
    replaying = false
    const fault = dialect.added && (sessionIdFault(sessionId) ?? (mustAsk ? modeFault(result, dialect) : undefined))
    if (fault) return failed(fault)
    const models = asObject(result.models)
    const model = task.model ?? (asText(models.currentModelId) || null)
    const session: AgentEvent = { type: "session", id: sessionId ?? "", model }
    const { mode } = dialect
    if (mode === undefined || modeIn(result) === mode) return { events: [session], ...modeSet() }
    awaited.add(MODE)
    const change = call(MODE, "session/set_mode", { sessionId, modeId: mode })
    return { events: [session], send: mustAsk ? [change] : [change, ...(modeSet().send ?? [])] }
  }

  function modeSet(): Reply {
    isModeSet = true
    return { send: [prompt(PROMPT, task.prompt)] }
  }

  function changedMode(isChanged: boolean): Reply {
    if (!mustAsk) return {}
    return isChanged ? modeSet() : wrongMode("another mode")
  }

  /** Ends the turn if the agent is in a mode that may let it act without asking. */
  function wrongMode(reported: string): Reply {
    return mustAsk ? failed(modeMismatch(dialect.mode ?? "", reported)) : {}
  }

  /** Ends the turn. Whatever the agent still reports can't change that. */
  function failed(message: string): Reply {
    prompts.clear()
    awaited.clear()
    return { events: [{ type: "turn_failed", problem: { kind: "unknown", message } }] }
  }

  function prompt(id: number, text: string): object {
    prompts.add(id)
    return call(id, "session/prompt", { sessionId, prompt: [{ type: "text", text }] })
  }

  function handleRequest(request: JsonObject): Reply {
    if (request.method !== "session/request_permission") {
      return { send: [{ jsonrpc: "2.0", id: request.id, error: { code: -32601, message: "Method not found" } }] }
    }
    if (!permissions.add(request)) return { send: [tooMany(request.id)] }
    const call = calls.merge(asObject(asObject(request.params).toolCall))
    const question = { kind: "permission" as const, ...calls.permission(call) }
    return { events: [...calls.start(call), { type: "permission_asked", id: String(request.id), question }] }
  }

  function encodeDecision(id: string, decision: PermissionDecision): string {
    const answer = permissions.answer(id, decision)
    if (!answer) return ""
    decided.add(answer.toolCallId)
    if (decision.effect === "deny") calls.deny(answer.toolCallId, decision.reason ?? "The use was denied.")
    // The response has no field for an instruction, so send the instruction as the next prompt.
    const instruction = decision.effect === "deny" && decision.instead ? encodeMessage(decision.instead) : ""
    return line(answer.response) + instruction
  }

  function encodeMessage(text: string): string {
    return line(prompt(++lastPrompt, text))
  }

  function updateReply(update: JsonObject): Reply {
    if (update.sessionUpdate !== "current_mode_update") {
      const events = updateEvents(update, calls, dialect)
      const acted = dialect.added && mustAsk && actedUnasked(update, calls, decided)
      if (!acted) return { events }
      return { events: [...events, ...(failed(acted).events ?? [])], send: [cancellation(sessionId)] }
    }
    const reported = asText(update.currentModeId)
    if (!isModeSet || dialect.mode === undefined || reported === dialect.mode) return {}
    return { ...wrongMode(reported), ...(mustAsk && { send: [cancellation(sessionId)] }) }
  }

  return jsonProtocol({
    open: () => [
      call(INITIALIZE, "initialize", {
        protocolVersion: 1,
        clientInfo: { name: "switchyard", version: "1" },
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      }),
    ],
    onMessage(message) {
      if (typeof message.method !== "string") return handleResponse(message)
      if (message.id !== undefined) return handleRequest(message)
      if (message.method !== "session/update" || replaying) return {}
      return updateReply(asObject(asObject(message.params).update))
    },
    encodeDecision,
    encodeMessage,
    interrupt: () => (sessionId === null ? "" : line(cancellation(sessionId))),
  })
}

function cancellation(sessionId: string | null): object {
  return { jsonrpc: "2.0", method: "session/cancel", params: { sessionId } }
}

/** Returns the response to a permission request of an agent that has too many open ones. */
function tooMany(id: unknown): object {
  return { jsonrpc: "2.0", id, result: { outcome: { outcome: "cancelled" } } }
}

function untriedVersion(version: string, triedVersion: string): string {
  return (
    `The program on the server's PATH has version ${version || "unknown"}. It doesn't report its mode, so only version ${triedVersion} may ask for permissions. ` +
    `Install version ${triedVersion}, or remove the program from the PATH: then that version is installed automatically. Agents in bypass mode, without rules that deny or ask, accept any version.`
  )
}

function updateEvents(update: JsonObject, calls: AcpToolCalls, dialect: AcpDialect): AgentEvent[] {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
    case "agent_thought_chunk": {
      const text = withoutModeMark(asText(asObject(update.content).text), dialect)
      const type = update.sessionUpdate === "agent_thought_chunk" ? "thinking" : "text"
      // Text after a tool call belongs to a new message.
      const message = asText(update.messageId) || String(calls.startedCount)
      return text ? [{ type, text, message }] : []
    }
    case "tool_call":
    case "tool_call_update":
      return calls.progress(calls.merge(update))
    case "plan":
      return [{ type: "todos", todos: todosOf(update.entries) }]
    default:
      return []
  }
}

/** Removes the mode marker that Gemini puts at the start of the model's text. */
function withoutModeMark(text: string, { mode }: AcpDialect): string {
  const mark = `[MODE_UPDATE] ${mode}`
  return text.startsWith(mark) ? text.slice(mark.length) : text
}

function call(id: number, method: string, params: object): object {
  return { jsonrpc: "2.0", id, method, params }
}

function turnEnd(stopReason: string): AgentEvent {
  if (stopReason === "end_turn") return { type: "turn_completed" }
  const kind = stopReason === "cancelled" ? "cancelled" : "unknown"
  return {
    type: "turn_failed",
    problem: { kind, message: `The agent stopped: ${stopReason.replaceAll("_", " ") || "no reason given"}.` },
  }
}

/**
 * Returns the reported usage. Agents report it in different fields, and not always for the whole turn. Missing counts
 * are null.
 */
function promptUsage(result: JsonObject): AgentEvent[] {
  const counts = asObject(result.usage)
  const quota = asObject(asObject(asObject(result._meta).quota).token_count)
  const input = asNumber(counts.inputTokens ?? quota.input_tokens)
  const output = asNumber(counts.outputTokens ?? quota.output_tokens)
  if (input === null && output === null) return []
  const cache = { cache_read: asNumber(counts.cachedReadTokens), cache_write: asNumber(counts.cachedWriteTokens) }
  return [{ type: "usage", usage: { input, ...cache, output }, costUsd: null }]
}

function problemOf(error: JsonObject, { explain = (message) => message }: AcpDialect): Problem {
  const details = asObject(error.data)
  const info = asObject(details.codex_error_info)
  const status = asObjects(Object.values(info)).map(({ http_status_code }) => asNumber(http_status_code))[0]
  const code = asNumber(error.code)
  const message = asText(details.message) || asText(details.details) || asText(error.message)
  const kind = code === -32000 ? "auth" : undefined
  const limited = details.errorKind === "rate_limit" ? 429 : undefined
  // Gemini passes on an HTTP status as the code. It uses 500 if there was no status, for example because the connection
  // broke.
  const passedOn = code !== null && code >= 400 && code !== 500 ? code : null
  return problemFrom({ message: explain(message), kind, status: status ?? limited ?? passedOn })
}
