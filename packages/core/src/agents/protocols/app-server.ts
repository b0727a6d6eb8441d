import { isoTime } from "../../time.ts"
import { growth, plus } from "../../work/usage/counts.ts"
import { type AgentEvent, type AgentTask, type AgentUsage, modeOf, type Protocol } from "../clis/cli.ts"
import type { Problem, ProblemKind } from "../clis/schema.ts"
import type { PermissionMode } from "../permissions/schema.ts"
import { approvalRequest, codexUsage, itemFinished, itemStarted } from "./codex-items.ts"
import {
  asNumber,
  asObject,
  asObjects,
  asText,
  type JsonObject,
  jsonProtocol,
  modeMismatch,
  type Reply,
} from "./json-protocol.ts"
import { problemFrom } from "./problems.ts"
import { todosOf } from "./todos.ts"

const INITIALIZE = 1
const THREAD = 2
const TURN = 3

/** Codex's names for when it asks. */
const POLICIES: Record<PermissionMode, string> = {
  ask: "untrusted",
  accept_edits: "untrusted",
  plan: "untrusted",
  bypass: "never",
}

/**
 * Speaks `codex app-server`: JSON-RPC without the version field, and a thread whose turns can be steered and stopped.
 */
export function appServer(task: AgentTask): Protocol {
  const streamedItems = new Set<string>()
  let threadId = task.resume ?? ""
  let turnId = ""
  let requests = TURN
  const permissions = new Map<string, unknown>()
  /** Announced items. An approval request takes its command or changes from here. */
  const items = new Map<string, JsonObject>()
  /** Last report of the account's limits. */
  let limits: Quota[] = []
  const usage = createThreadUsage()

  function handleResponse({ id, result, error }: JsonObject): Reply {
    if (error) return id === undefined || Number(id) > TURN ? {} : { events: [failedRequest(asObject(error), id)] }
    if (id === INITIALIZE) return { send: [{ method: "initialized", params: {} }, openThread()] }
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

  function failedRequest(error: JsonObject, id: unknown): AgentEvent {
    const problem = problemFrom({ message: asText(error.message) })
    const kind =
      id === THREAD && task.resume !== null && problem.kind === "unknown" ? "session_not_found" : problem.kind
    return { type: "turn_failed", problem: { ...problem, kind } }
  }

  function openThread(): object {
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

  function startTurn(): object {
    const effort = task.reasoning ? { effort: task.reasoning } : {}
    return { id: TURN, method: "turn/start", params: { threadId, input: input(task.prompt), ...effort } }
  }

  /** Refuses unknown requests. Codex may request approval even if its policy is `never`. */
  function handleRequest({ id, method, params }: JsonObject): Reply {
    const [, type, wanted] = asText(method).split("/")
    if (wanted !== "requestApproval") {
      return { send: [{ id, error: { code: -32601, message: "Method not found" } }] }
    }
    permissions.set(String(id), id)
    const item = items.get(asText(asObject(params).itemId))
    const request = approvalRequest({ type, ...item, ...asObject(params) }, task)
    return { events: [{ type: "permission_asked", id: String(id), question: { kind: "permission", ...request } }] }
  }

  function handleNotification(method: string, params: JsonObject): AgentEvent[] {
    const item = asObject(params.item)
    switch (method) {
      case "turn/started":
        if (!isOwn(params)) return []
        turnId = asText(asObject(params.turn).id)
        return []
      case "item/agentMessage/delta":
        streamedItems.add(asText(params.itemId))
        return textEvent("text", params.delta, params.itemId)
      case "item/reasoning/summaryTextDelta":
        streamedItems.add(asText(params.itemId))
        return textEvent("thinking", params.delta, params.itemId)
      case "item/started": {
        items.set(asText(item.id), item)
        const started = itemStarted(item, task)
        return started ? [started] : []
      }
      case "item/completed":
        items.delete(asText(item.id))
        return completed(item)
      case "turn/plan/updated":
        return [{ type: "todos", todos: todosOf(asObjects(params.plan)) }]
      case "thread/tokenUsage/updated":
        return [
          ...usage.updated(asText(params.threadId), asObject(params.tokenUsage), turnId !== ""),
          // A sub-agent's thread has its own context. Reports before the turn are about earlier turns.
          ...(turnId !== "" && params.threadId === threadId ? contextIn(asObject(params.tokenUsage)) : []),
        ]
      case "account/rateLimits/updated":
        limits = quotas(asObject(params.rateLimits))
        return limits
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

  /** True for the agent's own thread. Sub-agents have threads of their own, whose turns end before the agent's. */
  function isOwn(params: JsonObject): boolean {
    return params.threadId === undefined || params.threadId === threadId
  }

  function completed(item: JsonObject): AgentEvent[] {
    if (item.type === "agentMessage")
      return streamedItems.has(asText(item.id)) ? [] : textEvent("text", item.text, item.id)
    return itemStarted(item, task) ? [itemFinished(item)] : []
  }

  function turnEnded(turn: JsonObject): AgentEvent[] {
    turnId = ""
    if (turn.status === "completed") return [{ type: "turn_completed" }]
    const stopped: Problem = { kind: "cancelled", message: "The turn was interrupted." }
    const failed = () => withReset(problemOf(asObject(turn.error)), limits, asNumber(turn.completedAt))
    const problem = turn.status === "interrupted" ? stopped : failed()
    return [{ type: "turn_failed", problem }]
  }

  const line = (message: object) => `${JSON.stringify(message)}\n`
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
      // The response has no field for an instruction, so the instruction steers the turn.
      return (
        line({ id: request, result: { decision: "decline" } }) +
        (decision.instead ? encodeMessage(decision.instead) : "")
      )
    },
    encodeMessage,
    interrupt: () => (turnId ? line({ id: ++requests, method: "turn/interrupt", params: { threadId, turnId } }) : ""),
  })
}

function input(text: string): object[] {
  return [{ type: "text", text, text_elements: [] }]
}

function textEvent(type: "text" | "thinking", text: unknown, id: unknown): AgentEvent[] {
  return asText(text) ? [{ type, text: asText(text), message: asText(id) }] : []
}

/** Sums the usage that Codex reports for its own thread and its sub-agents' threads. */
function createThreadUsage() {
  const threads = new Map<string, { before: AgentUsage; total: AgentUsage }>()
  return {
    /** Takes a thread's running total. Reports may repeat, and those before the turn cover earlier turns. */
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

type Quota = Extract<AgentEvent, { type: "quota" }>

function quotas(limits: JsonObject): Quota[] {
  return [limits.primary, limits.secondary].flatMap((limit): Quota[] => {
    const { usedPercent, windowDurationMins, resetsAt } = asObject(limit)
    const used = asNumber(usedPercent)
    const seconds = asNumber(resetsAt)
    const minutes = asNumber(windowDurationMins)
    if (used === null) return []
    const window = minutes === 300 ? "five_hour" : minutes === 10_080 ? "seven_day" : `${minutes ?? "unknown"} minutes`
    return [
      {
        type: "quota",
        window,
        usedPercent: used,
        resetsAt: seconds === null ? null : isoTime(seconds * 1000),
      },
    ]
  })
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
  // If a plan doesn't include Codex, Codex reports a used-up limit.
  return inWords.kind === "billing" ? inWords : problemFrom({ message, kind: errorKinds.get(info) })
}

/** Adds when a limit resets: the last reset of the used-up limits, or else the time in the message. */
function withReset(problem: Problem, limits: Quota[], endedAt: number | null): Problem {
  if (problem.kind !== "quota_exhausted" || problem.resets_at !== undefined) return problem
  const resets = limits.flatMap(({ usedPercent, resetsAt }) => (usedPercent >= 100 && resetsAt ? [resetsAt] : []))
  const resets_at = resets.sort().at(-1) ?? resetInWords(problem.message, endedAt)
  return { ...problem, ...(resets_at && { resets_at }) }
}

/** Parses local times without seconds: "…try again at 3:31 PM." on the same day, or "at Dec 1st, 2026 11:20 PM". */
function resetInWords(message: string, endedAt: number | null): string | null {
  const found = /\btry again at (?:([A-Z][a-z]{2} \d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}:\d{2} [AP]M)/.exec(
    message,
  )
  if (!found || endedAt === null) return null
  const [, day, year, time] = found
  const date = day ? `${day}, ${year}` : new Date(endedAt * 1000).toDateString()
  return isoTime(Date.parse(`${date} ${time}`) + 60_000)
}
