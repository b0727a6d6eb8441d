import type { AgentEvent, AgentTask, Dialogue, PermissionDecision } from "./cli.ts"
import { jsonDialogue, listOf, type Message, numberOf, objectOf, type Said, textOf } from "./json-dialogue.ts"
import { problemFrom } from "./problems.ts"
import type { Problem } from "./schema.ts"
import { clip, kindOf, pathIn, toolUse } from "./tool-kinds.ts"

/** The differences between agents that speak the Agent Client Protocol. */
interface Dialect {
  /** The mode in which the agent asks for nothing, if it has to be chosen. */
  mode?: string
}

const INITIALIZE = 1
const SESSION = 2
const PROMPT = 3
const MODE = 4
const SUMMARY_CHARS = 500

/**
 * The Agent Client Protocol, version 1: initialize, a session, one prompt. Requests that this client doesn't know are
 * refused, as JSON-RPC has it.
 */
export function acp(task: AgentTask, dialect: Dialect = {}): Dialogue {
  const tools = new Map<string, "started" | "finished">()
  const names = new Map<string, string>()
  let sessionId = task.resume
  // A session that is loaded tells all of its past first.
  let replaying = task.resume !== null
  /** A person may have added prompts while the first one was worked on: the turn ends with the last of them. */
  const prompts = new Set<unknown>()
  let lastPrompt = MODE
  let message = 0
  const permissions = new Map<string, { id: unknown; options: Message[] }>()

  function answered(response: Message): Said {
    const wasPrompt = prompts.delete(response.id)
    if (response.error) return failed(objectOf(response.error), response.id, wasPrompt)
    const result = objectOf(response.result)
    if (response.id === INITIALIZE) return { send: [openSession()] }
    if (response.id === SESSION) return sessionOpened(result)
    if (!wasPrompt) return {}
    const last = prompts.size === 0 ? [ended(textOf(result.stopReason))] : []
    return { events: [...promptUsage(result), ...last] }
  }

  function failed(error: Message, id: unknown, wasPrompt: boolean): Said {
    // The mode is a convenience: without it the agent asks, and is answered.
    if (id === MODE) return {}
    const problem = problemOf(error)
    if (wasPrompt && prompts.size > 0) return { events: [{ type: "notice", text: problem.message }] }
    // Some say no more than that something went wrong.
    const vague = problem.kind === "unknown" || problem.kind === "overloaded"
    const lost = id === SESSION && task.resume !== null && vague
    return { events: [{ type: "turn_failed", problem: lost ? { ...problem, kind: "session_not_found" } : problem }] }
  }

  function openSession(): object {
    const params = { cwd: task.cwd, mcpServers: [] }
    return task.resume === null
      ? call(SESSION, "session/new", params)
      : call(SESSION, "session/load", { ...params, sessionId: task.resume })
  }

  function sessionOpened(result: Message): Said {
    sessionId = textOf(result.sessionId) || sessionId
    replaying = false
    const models = objectOf(result.models)
    const mode = dialect.mode === undefined ? [] : [call(MODE, "session/set_mode", { sessionId, modeId: dialect.mode })]
    return {
      events: [{ type: "session", id: sessionId ?? "", model: task.model ?? (textOf(models.currentModelId) || null) }],
      send: [...mode, prompt(PROMPT, task.prompt)],
    }
  }

  function prompt(id: number, text: string): object {
    prompts.add(id)
    return call(id, "session/prompt", { sessionId, prompt: [{ type: "text", text }] })
  }

  function asked(request: Message): Said {
    if (request.method !== "session/request_permission") {
      return { send: [{ jsonrpc: "2.0", id: request.id, error: { code: -32601, message: "Method not found" } }] }
    }
    const { toolCall, options } = objectOf(request.params)
    const id = String(request.id)
    permissions.set(id, { id: request.id, options: listOf(options) })
    const call = objectOf(toolCall)
    const input = objectOf(call.rawInput)
    return { events: [...started(call), { type: "permission_asked", id, tool: toolName(call), input }] }
  }

  function answer(id: string, decision: PermissionDecision): string {
    const request = permissions.get(id)
    if (!request) return ""
    permissions.delete(id)
    const kinds = decision === "allow" ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"]
    const chosen = kinds.flatMap((kind) => request.options.filter((option) => option.kind === kind))[0]
    const outcome = chosen ? { outcome: "selected", optionId: chosen.optionId } : { outcome: "cancelled" }
    return `${JSON.stringify({ jsonrpc: "2.0", id: request.id, result: { outcome } })}\n`
  }

  function updated(update: Message): AgentEvent[] {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
      case "agent_thought_chunk": {
        const text = withoutMark(textOf(objectOf(update.content).text))
        const type = update.sessionUpdate === "agent_thought_chunk" ? "thinking" : "text"
        return text ? [{ type, text, message: textOf(update.messageId) || String(message) }] : []
      }
      case "tool_call":
      case "tool_call_update":
        return toolEvents(update)
      default:
        return []
    }
  }

  /** Gemini says that its mode was chosen as if it were the model's words. */
  function withoutMark(text: string): string {
    const mark = `[MODE_UPDATE] ${dialect.mode}`
    return text.startsWith(mark) ? text.slice(mark.length) : text
  }

  function toolEvents(update: Message): AgentEvent[] {
    const id = textOf(update.toolCallId)
    const finished = update.status === "completed" || update.status === "failed"
    // Many say what they call at first and with what only in an update: start when there is something to show.
    if (!names.has(id)) names.set(id, toolName(update))
    const known = finished || update.status === "in_progress" || Object.keys(objectOf(update.rawInput)).length > 1
    const events = known ? started(update) : []
    if (!finished || tools.get(id) === "finished") return events
    tools.set(id, "finished")
    return [...events, finish(id, update)]
  }

  function started(update: Message): AgentEvent[] {
    const id = textOf(update.toolCallId)
    if (tools.has(id)) return []
    tools.set(id, "started")
    // Text after a tool call is a message of its own.
    message++
    const input = objectOf(update.rawInput)
    const use = toolUse(names.get(id) ?? toolName(update), input, task.cwd, textOf(update.kind))
    const path = textOf(
      listOf(update.content).find(({ type }) => type === "diff")?.path ?? listOf(update.locations)[0]?.path,
    )
    const command = use.tool === "bash" && !use.command ? { command: textOf(update.title) } : {}
    const where = path && !use.path && use.tool !== "bash" ? { path: pathIn(task.cwd, path) } : {}
    return [{ type: "tool_started", id, ...use, ...command, ...where }]
  }

  return jsonDialogue({
    open: () => [
      call(INITIALIZE, "initialize", {
        protocolVersion: 1,
        clientInfo: { name: "switchyard", version: "1" },
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      }),
    ],
    hear(said) {
      if (typeof said.method !== "string") return answered(said)
      if (said.id !== undefined) return asked(said)
      if (said.method !== "session/update" || replaying) return {}
      return { events: updated(objectOf(objectOf(said.params).update)) }
    },
    answer,
    say: (text) => `${JSON.stringify(prompt(++lastPrompt, text))}\n`,
    interrupt: () =>
      sessionId === null
        ? ""
        : `${JSON.stringify({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } })}\n`,
  })
}

function call(id: number, method: string, params: object): object {
  return { jsonrpc: "2.0", id, method, params }
}

/** Gemini puts its name into the id, opencode into the first title; others only say what kind it is. */
function toolName({ toolCallId, title, kind }: Message): string {
  const named = [textOf(toolCallId).split("__")[0] ?? "", textOf(title)].find((name) => kindOf(name) !== undefined)
  return named ?? (textOf(kind) || "tool")
}

function finish(id: string, update: Message): AgentEvent {
  const output = objectOf(update.rawOutput)
  const exitCode = numberOf(objectOf(output.metadata).exit ?? output.exitCode ?? output.exit_code)
  const texts = listOf(update.content).map(({ content }) => textOf(objectOf(content).text))
  const summary = clip((textOf(output.output) || texts.join("\n")).trim(), SUMMARY_CHARS)
  return { type: "tool_finished", id, ok: update.status === "completed" && (exitCode ?? 0) === 0, exitCode, summary }
}

function ended(stopReason: string): AgentEvent {
  if (stopReason === "end_turn") return { type: "turn_completed" }
  const kind = stopReason === "cancelled" ? "cancelled" : "unknown"
  return {
    type: "turn_failed",
    problem: { kind, message: `The agent stopped: ${stopReason.replaceAll("_", " ") || "it did not say why"}.` },
  }
}

/** Agents differ in where they report usage, and whether that of the whole turn; what they leave out is null. */
function promptUsage(result: Message): AgentEvent[] {
  const counts = objectOf(result.usage)
  const quota = objectOf(objectOf(objectOf(result._meta).quota).token_count)
  const input = numberOf(counts.inputTokens ?? quota.input_tokens)
  const output = numberOf(counts.outputTokens ?? quota.output_tokens)
  if (input === null && output === null) return []
  const cache = { cache_read: numberOf(counts.cachedReadTokens), cache_write: numberOf(counts.cachedWriteTokens) }
  return [{ type: "usage", usage: { input, ...cache, output }, costUsd: null }]
}

function problemOf(error: Message): Problem {
  const details = objectOf(error.data)
  const info = objectOf(details.codex_error_info)
  const status = listOf(Object.values(info)).map(({ http_status_code }) => numberOf(http_status_code))[0]
  const code = numberOf(error.code)
  const message = textOf(details.message) || textOf(details.details) || textOf(error.message)
  const kind = code === -32000 ? "auth" : undefined
  const limited = details.errorKind === "rate_limit" ? 429 : undefined
  // Gemini passes an HTTP status on as the code, and says 500 where there was none, as when a connection broke.
  const passedOn = code !== null && code >= 400 && code !== 500 ? code : null
  return problemFrom({ message, kind, status: status ?? limited ?? passedOn })
}
