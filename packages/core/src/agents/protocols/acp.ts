import { parseJson } from "../../text/parse-json.ts"
import {
  type AcpDialect,
  type AgentEvent,
  type AgentTask,
  modeOf,
  type PermissionDecision,
  type Protocol,
  type ToolUse,
} from "../clis/cli.ts"
import type { Problem } from "../clis/schema.ts"
import {
  asNumber,
  asObject,
  asObjects,
  asText,
  isObject,
  type JsonObject,
  jsonProtocol,
  modeMismatch,
  type Reply,
} from "./json-protocol.ts"
import { permissionRequest, replacedText } from "./permission-request.ts"
import { problemFrom } from "./problems.ts"
import { todosOf } from "./todos.ts"
import { relativePath, toolKindOf, toolUse } from "./tool-kinds.ts"
import { toolOutput } from "./tool-output.ts"

const INITIALIZE = 1
const SESSION = 2
const PROMPT = 3
const MODE = 4

/** Speaks the Agent Client Protocol, version 1: initialize, a session, one prompt. Refuses unknown requests. */
export function acp(task: AgentTask, dialect: AcpDialect = {}): Protocol {
  const tools = new Map<string, "started" | "finished">()
  const names = new Map<string, string>()
  /** Announced parts of open calls. A permission request may contain only the call's id. */
  const calls = new Map<string, JsonObject>()
  /** False in bypass. In all other modes, the agent asks and the policy answers. */
  const mustAsk = modeOf(task) !== "bypass"
  let isModeSet = false
  let sessionId = task.resume
  // Loading a session replays its history first.
  let replaying = task.resume !== null
  /** Open prompts. A person may add some during the first, and the turn ends with the last. */
  const prompts = new Set<unknown>()
  let lastPrompt = MODE
  let messageCount = 0
  const permissions = new Map<string, { id: unknown; options: JsonObject[] }>()

  function handleResponse(response: JsonObject): Reply {
    const wasPrompt = prompts.delete(response.id)
    if (response.error) return handleError(asObject(response.error), response.id, wasPrompt)
    const result = asObject(response.result)
    if (response.id === INITIALIZE) return initialized(asText(asObject(result.agentInfo).version))
    if (response.id === SESSION) return sessionOpened(result)
    // An agent that doesn't know the mode may answer with null.
    if (response.id === MODE) return changedMode(isObject(response.result))
    if (!wasPrompt) return {}
    const last = prompts.size === 0 ? [turnEnd(asText(result.stopReason))] : []
    return { events: [...promptUsage(result), ...last] }
  }

  function handleError(error: JsonObject, id: unknown, wasPrompt: boolean): Reply {
    if (id === MODE) return changedMode(false)
    // A response to no request of this client belongs to another program.
    if (!(wasPrompt || id === INITIALIZE || id === SESSION || id === null)) return {}
    const problem = problemOf(error, dialect)
    if (wasPrompt && prompts.size > 0) return { events: [{ type: "notice", text: problem.message }] }
    // Some agents report no details.
    const vague = problem.kind === "unknown" || problem.kind === "overloaded"
    const lost = id === SESSION && task.resume !== null && vague
    return { events: [{ type: "turn_failed", problem: lost ? { ...problem, kind: "session_not_found" } : problem }] }
  }

  function initialized(version: string): Reply {
    const { triedVersion } = dialect
    if (mustAsk && triedVersion !== undefined && version !== triedVersion) {
      return failed(
        `The program on the server's PATH has version ${version || "unknown"}. It doesn't report its mode, so only version ${triedVersion} may ask for permissions. ` +
          `Install version ${triedVersion}, or remove the program from the PATH: then that version is installed by itself. Agents in the mode bypass, without rules that deny or ask, take any version.`,
      )
    }
    return { send: [openSession()] }
  }

  function openSession(): object {
    const params = { cwd: task.cwd, mcpServers: [] }
    return task.resume === null
      ? call(SESSION, "session/new", params)
      : call(SESSION, "session/load", { ...params, sessionId: task.resume })
  }

  function sessionOpened(result: JsonObject): Reply {
    sessionId = asText(result.sessionId) || sessionId
    replaying = false
    const models = asObject(result.models)
    const model = task.model ?? (asText(models.currentModelId) || null)
    const session: AgentEvent = { type: "session", id: sessionId ?? "", model }
    const { mode } = dialect
    if (mode === undefined || modeIn(result) === mode) return { events: [session], ...modeSet() }
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

  /** Ends a turn whose agent might act without asking. */
  function wrongMode(reported: string): Reply {
    return mustAsk ? failed(modeMismatch(dialect.mode ?? "", reported)) : {}
  }

  function failed(message: string): Reply {
    return { events: [{ type: "turn_failed", problem: { kind: "unknown", message } }] }
  }

  function prompt(id: number, text: string): object {
    prompts.add(id)
    return call(id, "session/prompt", { sessionId, prompt: [{ type: "text", text }] })
  }

  function cancellation(): object {
    return { jsonrpc: "2.0", method: "session/cancel", params: { sessionId } }
  }

  function handleRequest(request: JsonObject): Reply {
    if (request.method !== "session/request_permission") {
      return { send: [{ jsonrpc: "2.0", id: request.id, error: { code: -32601, message: "Method not found" } }] }
    }
    const { toolCall, options } = asObject(request.params)
    const id = String(request.id)
    permissions.set(id, { id: request.id, options: asObjects(options) })
    const call = merged(asObject(toolCall))
    const use = useOf(call)
    const known = {
      paths: pathsOf(call).map((path) => relativePath(task, path)),
      isUnreadable: !isReadable(call.rawInput),
      diff: diffOf(call),
    }
    const asked = permissionRequest(use, rawOf(call.rawInput), known)
    return { events: [...started(call), { type: "permission_asked", id, question: { kind: "permission", ...asked } }] }
  }

  /** Merges an update into its call. Later fields win unless they are empty. */
  function merged(update: JsonObject): JsonObject {
    const id = asText(update.toolCallId)
    const call = {
      ...calls.get(id),
      ...Object.fromEntries(Object.entries(update).filter(([, value]) => !isEmpty(value))),
    }
    calls.set(id, call)
    if (toolKindOf(names.get(id) ?? "") === undefined) names.set(id, toolName(call))
    return call
  }

  function encodeDecision(id: string, decision: PermissionDecision): string {
    const request = permissions.get(id)
    if (!request) return ""
    permissions.delete(id)
    // After an "always", the agent stops asking, and no rule could apply.
    const allowing = mustAsk ? ["allow_once"] : ["allow_once", "allow_always"]
    const kinds = decision.effect === "allow" ? allowing : ["reject_once", "reject_always"]
    const chosen = kinds.flatMap((kind) => request.options.filter((option) => option.kind === kind))[0]
    const outcome = chosen ? { outcome: "selected", optionId: chosen.optionId } : { outcome: "cancelled" }
    const answered = `${JSON.stringify({ jsonrpc: "2.0", id: request.id, result: { outcome } })}\n`
    // The protocol has no field for an instruction, so it becomes the next prompt.
    return decision.effect === "deny" && decision.instead ? answered + encodeMessage(decision.instead) : answered
  }

  function encodeMessage(text: string): string {
    return `${JSON.stringify(prompt(++lastPrompt, text))}\n`
  }

  function updateReply(update: JsonObject): Reply {
    if (update.sessionUpdate !== "current_mode_update") return { events: updateEvents(update) }
    const reported = asText(update.currentModeId)
    if (!isModeSet || dialect.mode === undefined || reported === dialect.mode) return {}
    return { ...wrongMode(reported), ...(mustAsk && { send: [cancellation()] }) }
  }

  function updateEvents(update: JsonObject): AgentEvent[] {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
      case "agent_thought_chunk": {
        const text = stripModeMark(asText(asObject(update.content).text))
        const type = update.sessionUpdate === "agent_thought_chunk" ? "thinking" : "text"
        return text ? [{ type, text, message: asText(update.messageId) || String(messageCount) }] : []
      }
      case "tool_call":
      case "tool_call_update":
        return toolEvents(merged(update))
      case "plan":
        return [{ type: "todos", todos: todosOf(asObjects(update.entries)) }]
      default:
        return []
    }
  }

  /** Removes the mode, which Gemini reports in the text of the model. */
  function stripModeMark(text: string): string {
    const mark = `[MODE_UPDATE] ${dialect.mode}`
    return text.startsWith(mark) ? text.slice(mark.length) : text
  }

  function toolEvents(update: JsonObject): AgentEvent[] {
    const id = asText(update.toolCallId)
    const finished = update.status === "completed" || update.status === "failed"
    // Many agents send the name of a call first and its arguments later, so the start waits for arguments.
    const known = finished || update.status === "in_progress" || Object.keys(rawOf(update.rawInput)).length > 1
    const events = known ? started(update) : []
    if (!finished || tools.get(id) === "finished") return events
    tools.set(id, "finished")
    calls.delete(id)
    return [...events, toolFinished(id, update)]
  }

  function started(update: JsonObject): AgentEvent[] {
    const id = asText(update.toolCallId)
    if (tools.has(id)) return []
    tools.set(id, "started")
    // Text after a tool call is a new message.
    messageCount++
    return [{ type: "tool_started", id, ...useOf(update) }]
  }

  function useOf(update: JsonObject): ToolUse {
    const input = rawOf(update.rawInput)
    const name = names.get(asText(update.toolCallId)) ?? toolName(update)
    const use = toolUse(name, input, task, asText(update.kind))
    const [path = ""] = pathsOf(update)
    // Gemini sends a command only as the title.
    const isTitled = use.tool === "bash" && !use.command && idName(update) === "run_shell_command"
    const command = isTitled && asText(update.title) ? { command: asText(update.title) } : {}
    const where = path && !use.path && use.tool !== "bash" ? { path: relativePath(task, path) } : {}
    return { ...use, ...command, ...where }
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
    interrupt: () => (sessionId === null ? "" : `${JSON.stringify(cancellation())}\n`),
  })
}

/** Returns the mode that a session reports when it opens. opencode reports it as an option. */
function modeIn(result: JsonObject): string {
  const option = asObjects(result.configOptions).find(({ id }) => id === "mode")
  return asText(asObject(result.modes).currentModeId) || asText(option?.currentValue)
}

function call(id: number, method: string, params: object): object {
  return { jsonrpc: "2.0", id, method, params }
}

/** Returns a tool's arguments or result as an object. Vibe sends them as JSON text. */
function rawOf(value: unknown): JsonObject {
  return asObject(typeof value === "string" ? parseJson(value) : value)
}

/** True if arguments are an object, JSON of an object, or missing. */
function isReadable(value: unknown): boolean {
  return value === undefined || isObject(typeof value === "string" ? parseJson(value) : value)
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === undefined || value === null || value === "" || (isObject(value) && Object.keys(value).length === 0)
}

/** Gemini puts its name into the id, Vibe into the metadata, opencode into the first title. Others send only a kind. */
function toolName(call: JsonObject): string {
  const names = [idName(call), asText(asObject(call._meta).tool_name), asText(call.title)]
  return names.find((name) => toolKindOf(name) !== undefined) ?? (asText(call.kind) || "tool")
}

function idName({ toolCallId }: JsonObject): string {
  return asText(toolCallId).split("__")[0] ?? ""
}

/** Lists the files that a call names in any of its parts. */
function pathsOf({ content, locations }: JsonObject): string[] {
  const diffs = asObjects(content).filter(({ type }) => type === "diff")
  const paths = [...diffs, ...asObjects(locations)].map(({ path }) => asText(path)).filter((path) => path !== "")
  return [...new Set(paths)]
}

/** Returns the file changes that a tool call shows, if any. */
function diffOf({ content }: JsonObject): string | undefined {
  const diffs = asObjects(content).filter(({ type }) => type === "diff")
  if (diffs.length === 0) return undefined
  return diffs.map(({ oldText, newText }) => replacedText(asText(oldText), asText(newText))).join("\n")
}

function toolFinished(id: string, update: JsonObject): AgentEvent {
  const output = rawOf(update.rawOutput)
  const exitCode = asNumber(asObject(output.metadata).exit ?? output.exitCode ?? output.exit_code ?? output.returncode)
  const texts = asObjects(update.content).map(({ content }) => asText(asObject(content).text))
  const ok = update.status === "completed" && (exitCode ?? 0) === 0
  return { type: "tool_finished", id, ok, exitCode, ...toolOutput(asText(output.output) || texts.join("\n")) }
}

function turnEnd(stopReason: string): AgentEvent {
  if (stopReason === "end_turn") return { type: "turn_completed" }
  const kind = stopReason === "cancelled" ? "cancelled" : "unknown"
  return {
    type: "turn_failed",
    problem: { kind, message: `The agent stopped: ${stopReason.replaceAll("_", " ") || "no reason given"}.` },
  }
}

/** Reads usage, which agents report in different places, not always for the whole turn. Missing counts are null. */
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
  // Gemini passes an HTTP status on as the code, or 500 if there was none, as after a broken connection.
  const passedOn = code !== null && code >= 400 && code !== 500 ? code : null
  return problemFrom({ message: explain(message), kind, status: status ?? limited ?? passedOn })
}
