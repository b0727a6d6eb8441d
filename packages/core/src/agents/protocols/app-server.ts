import { growth, plus } from "../../work/usage/counts.ts"
import { type AgentTask, modeOf } from "../clis/cli.ts"
import type { AgentEvent, AgentUsage, Protocol } from "../clis/protocol.ts"
import type { Problem, ProblemKind } from "../clis/schema.ts"
import type { PermissionMode } from "../permissions/schema.ts"
import { createAppServerItems } from "./app-server-items.ts"
import { createAppServerLimits } from "./app-server-limits.ts"
import { codexUsage } from "./codex-items.ts"
import {
  asNumber,
  asObject,
  asText,
  type JsonObject,
  jsonProtocol,
  line,
  modeMismatch,
  type Reply,
} from "./json-protocol.ts"
import { problemFrom } from "./problems.ts"
import { todosOf } from "./todos.ts"

const INITIALIZE = 1
const THREAD = 2
const TURN = 3

/** Codex's approval policy for each of our modes. The policy determines when Codex asks for permission. */
const POLICIES: Record<PermissionMode, string> = {
  ask: "untrusted",
  accept_edits: "untrusted",
  plan: "untrusted",
  bypass: "never",
}

/**
 * Creates a client for `codex app-server`, which speaks JSON-RPC without the version field. A task is a thread. Its
 * turns can be steered and stopped.
 */
export function appServer(task: AgentTask): Protocol {
  let threadId = task.resume ?? ""
  let turnId = ""
  let requests = TURN
  const permissions = new Map<string, unknown>()
  const items = createAppServerItems(task)
  const limits = createAppServerLimits()
  const usage = createThreadUsage()

  function handleResponse({ id, result, error }: JsonObject): Reply {
    if (error) return requestFailed(asObject(error), id, task)
    if (id === INITIALIZE) return { send: [{ method: "initialized", params: {} }, openThread(task)] }
    if (id === TURN) turnId = asText(asObject(asObject(result).turn).id)
    if (id !== THREAD) return {}
    const thread = asObject(asObject(result).thread)
    threadId = asText(thread.id)
    const model = asText(asObject(result).model ?? thread.model) || null
    const policy = asText(asObject(result).approvalPolicy)
    if (POLICIES[modeOf(task)] !== "never" && policy !== POLICIES[modeOf(task)]) {
      const message = modeMismatch(POLICIES[modeOf(task)], policy)
      return { events: [{ type: "turn_failed", problem: { kind: "unknown", message } }] }
    }
    return { events: [{ type: "session", id: threadId, model }], send: [startTurn()] }
  }

  function startTurn(): object {
    const effort = task.reasoning ? { effort: task.reasoning } : {}
    return { id: TURN, method: "turn/start", params: { threadId, input: input(task.prompt), ...effort } }
  }

  /**
   * Handles a request from Codex. Codex may request approval even if the policy is `never`. Refuses unknown requests.
   */
  function handleRequest({ id, method, params }: JsonObject): Reply {
    const [, type, wanted] = asText(method).split("/")
    if (wanted !== "requestApproval") {
      return { send: [{ id, error: { code: -32601, message: "Method not found" } }] }
    }
    permissions.set(String(id), id)
    const request = items.approval(type, asObject(params))
    return { events: [{ type: "permission_asked", id: String(id), question: { kind: "permission", ...request } }] }
  }

  function handleNotification(method: string, params: JsonObject): AgentEvent[] {
    switch (method) {
      case "turn/started":
        if (!isOwn(params)) return []
        turnId = asText(asObject(params.turn).id)
        return []
      case "item/agentMessage/delta":
        return items.delta("text", params)
      case "item/reasoning/summaryTextDelta":
        return items.delta("thinking", params)
      case "item/started":
        return items.started(asObject(params.item))
      case "item/completed":
        return items.completed(asObject(params.item))
      case "turn/plan/updated":
        return [{ type: "todos", todos: todosOf(params.plan) }]
      case "thread/tokenUsage/updated":
        return [
          ...usage.updated(asText(params.threadId), asObject(params.tokenUsage), turnId !== ""),
          // Ignore the threads of sub-agents, which have their own contexts. Also ignore reports from before the turn,
          // because they concern earlier turns.
          ...(turnId !== "" && params.threadId === threadId ? contextIn(asObject(params.tokenUsage)) : []),
        ]
      case "account/rateLimits/updated":
        return limits.updated(asObject(params.rateLimits))
      case "error": {
        const problem = problemOf(asObject(params.error))
        return params.willRetry === true ? [{ type: "retrying", problem }] : []
      }
      case "turn/completed":
        return isOwn(params) ? turnEnded(asObject(params.turn)) : []
      default:
        return []
    }
  }

  /** True for the agent's own thread. Sub-agents have separate threads, and their turns end before the agent's turn. */
  function isOwn(params: JsonObject): boolean {
    return params.threadId === undefined || params.threadId === threadId
  }

  function turnEnded(turn: JsonObject): AgentEvent[] {
    turnId = ""
    if (turn.status === "completed") return [{ type: "turn_completed" }]
    const stopped: Problem = { kind: "cancelled", message: "The turn was interrupted." }
    const failed = () => limits.withReset(problemOf(asObject(turn.error)), asNumber(turn.completedAt))
    const problem = turn.status === "interrupted" ? stopped : failed()
    return [{ type: "turn_failed", problem }]
  }

  function encodeMessage(text: string): string {
    const id = ++requests
    return turnId
      ? line({ id, method: "turn/steer", params: { threadId, expectedTurnId: turnId, input: input(text) } })
      : line({ id, method: "turn/start", params: { threadId, input: input(text) } })
  }

  return jsonProtocol({
    open: () => [
      {
        id: INITIALIZE,
        method: "initialize",
        params: { clientInfo: { name: "switchyard", title: "Switchyard", version: "1" } },
      },
    ],
    onMessage(message) {
      if (typeof message.method !== "string") return handleResponse(message)
      if (message.id !== undefined) return handleRequest(message)
      return { events: handleNotification(message.method, asObject(message.params)) }
    },
    encodeDecision(id, decision) {
      if (!permissions.has(id)) return ""
      const request = permissions.get(id)
      permissions.delete(id)
      if (decision.effect === "allow") return line({ id: request, result: { decision: "accept" } })
      // The response can't carry an instruction, so send it as a message to the running turn.
      return (
        line({ id: request, result: { decision: "decline" } }) +
        (decision.instead ? encodeMessage(decision.instead) : "")
      )
    },
    encodeMessage,
    interrupt: () => (turnId ? line({ id: ++requests, method: "turn/interrupt", params: { threadId, turnId } }) : ""),
  })
}

function requestFailed(error: JsonObject, id: unknown, task: AgentTask): Reply {
  if (id === undefined || Number(id) > TURN) return {}
  const problem = problemFrom({ message: asText(error.message) })
  const kind = id === THREAD && task.resume !== null && problem.kind === "unknown" ? "session_not_found" : problem.kind
  return { events: [{ type: "turn_failed", problem: { ...problem, kind } }] }
}

function openThread(task: AgentTask): object {
  const params = {
    cwd: task.cwd,
    approvalPolicy: POLICIES[modeOf(task)],
    sandbox: "danger-full-access",
    ...(task.model && { model: task.model }),
  }
  return task.resume === null
    ? { id: THREAD, method: "thread/start", params }
    : { id: THREAD, method: "thread/resume", params: { ...params, threadId: task.resume } }
}

function input(text: string): object[] {
  return [{ type: "text", text, text_elements: [] }]
}

/** Adds up the usage that Codex reports for its own thread and its sub-agents' threads. */
function createThreadUsage() {
  const threads = new Map<string, { before: AgentUsage; total: AgentUsage }>()
  return {
    /**
     * Updates the running total of a thread. A report may be repeated, and a report from before the turn covers earlier
     * turns.
     */
    updated(thread: string, { total: all, last }: JsonObject, isInTurn: boolean): AgentEvent[] {
      const total = usageIn(asObject(all))
      const known = threads.get(thread)
      const before = isInTurn ? (known?.before ?? growth(usageIn(asObject(last)), total)) : total
      threads.set(thread, { before, total })
      if (!isInTurn || JSON.stringify(known?.total) === JSON.stringify(total)) return []
      const used = [...threads.values()].map((one) => growth(one.before, one.total))
      return [{ type: "usage", usage: used.reduce(plus), costUsd: null }]
    },
  }
}

function contextIn({ last, modelContextWindow }: JsonObject): AgentEvent[] {
  const usedTokens = asNumber(asObject(last).totalTokens)
  return usedTokens === null ? [] : [{ type: "context", usedTokens, windowTokens: asNumber(modelContextWindow) }]
}

function usageIn({ inputTokens, cachedInputTokens, cacheWriteInputTokens, outputTokens }: JsonObject): AgentUsage {
  return codexUsage(inputTokens, cachedInputTokens, cacheWriteInputTokens, outputTokens)
}

const errorKinds: ReadonlyMap<string, ProblemKind> = new Map([
  ["usageLimitExceeded", "quota_exhausted"],
  ["unauthorized", "auth"],
  ["serverOverloaded", "overloaded"],
  ["internalServerError", "overloaded"],
])

function problemOf(error: JsonObject): Problem {
  const info = error.codexErrorInfo
  const message = asText(error.message)
  if (typeof info !== "string") {
    const status = asNumber(asObject(Object.values(asObject(info))[0]).httpStatusCode)
    return problemFrom({ message: asText(error.additionalDetails) || message, status })
  }
  const inWords = problemFrom({ message })
  // Check the message first. If a plan doesn't include Codex, Codex reports this as a used-up limit.
  return inWords.kind === "billing" ? inWords : problemFrom({ message, kind: errorKinds.get(info) })
}
