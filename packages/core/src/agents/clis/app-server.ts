import type { AgentEvent, AgentTask, Dialogue, Usage } from "./cli.ts"
import { codexUsage, itemFinished, itemStarted } from "./codex-items.ts"
import { jsonDialogue, type Message, numberOf, objectOf, type Said, textOf } from "./json-dialogue.ts"
import { problemFrom } from "./problems.ts"
import type { Problem, ProblemKind } from "./schema.ts"

const INITIALIZE = 1
const THREAD = 2
const TURN = 3

/** `codex app-server`: JSON-RPC without its version field, a thread, and turns in it that can be steered and stopped. */
export function appServer(task: AgentTask): Dialogue {
  const told = new Set<string>()
  let threadId = task.resume ?? ""
  let turnId = ""
  let requests = TURN
  const permissions = new Map<string, unknown>()
  /** The last report on the account's limits. */
  let limits: Quota[] = []
  let used: Usage = { input: null, cache_read: null, cache_write: null, output: null }

  function answered({ id, result, error }: Message): Said {
    if (error) return id === undefined || Number(id) > TURN ? {} : { events: [lost(objectOf(error), id)] }
    if (id === INITIALIZE) return { send: [{ method: "initialized", params: {} }, openThread()] }
    if (id === TURN) turnId = textOf(objectOf(objectOf(result).turn).id)
    if (id !== THREAD) return {}
    const thread = objectOf(objectOf(result).thread)
    threadId = textOf(thread.id)
    const model = textOf(objectOf(result).model ?? thread.model) || null
    return { events: [{ type: "session", id: threadId, model }], send: [startTurn()] }
  }

  function lost(error: Message, id: unknown): AgentEvent {
    const problem = problemFrom({ message: textOf(error.message) })
    const kind =
      id === THREAD && task.resume !== null && problem.kind === "unknown" ? "session_not_found" : problem.kind
    return { type: "turn_failed", problem: { ...problem, kind } }
  }

  function openThread(): object {
    const params = {
      cwd: task.cwd,
      approvalPolicy: "never",
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

  /** Its approval policy is to ask for nothing, but it may all the same. Requests that aren't known are refused. */
  function asked({ id, method, params }: Message): Said {
    if (!/\/requestApproval$/.test(textOf(method))) {
      return { send: [{ id, error: { code: -32601, message: "Method not found" } }] }
    }
    const tool = textOf(method).split("/")[1] ?? ""
    permissions.set(String(id), id)
    return { events: [{ type: "permission_asked", id: String(id), tool, input: objectOf(params) }] }
  }

  function notified(method: string, params: Message): AgentEvent[] {
    const item = objectOf(params.item)
    switch (method) {
      case "turn/started":
        turnId = textOf(objectOf(params.turn).id)
        return []
      case "item/agentMessage/delta":
        told.add(textOf(params.itemId))
        return textEvent("text", params.delta, params.itemId)
      case "item/reasoning/summaryTextDelta":
        told.add(textOf(params.itemId))
        return textEvent("thinking", params.delta, params.itemId)
      case "item/started": {
        const started = itemStarted(item, task.cwd)
        return started ? [started] : []
      }
      case "item/completed":
        return completed(item)
      case "thread/tokenUsage/updated":
        used = plus(used, objectOf(objectOf(params.tokenUsage).last))
        return []
      case "account/rateLimits/updated":
        limits = quotas(objectOf(params.rateLimits))
        return limits
      case "error": {
        const problem = problemOf(objectOf(params.error), limits)
        return params.willRetry === true ? [{ type: "retrying", problem }] : []
      }
      case "turn/completed":
        return turnEnded(objectOf(params.turn))
      default:
        return []
    }
  }

  function completed(item: Message): AgentEvent[] {
    if (item.type === "agentMessage") return told.has(textOf(item.id)) ? [] : textEvent("text", item.text, item.id)
    return itemStarted(item, task.cwd) ? [itemFinished(item)] : []
  }

  function turnEnded(turn: Message): AgentEvent[] {
    turnId = ""
    const usage: AgentEvent[] = used.input === null ? [] : [{ type: "usage", usage: used, costUsd: null }]
    if (turn.status === "completed") return [...usage, { type: "turn_completed" }]
    const stopped: Problem = { kind: "cancelled", message: "The turn was interrupted." }
    const problem = turn.status === "interrupted" ? stopped : problemOf(objectOf(turn.error), limits)
    return [...usage, { type: "turn_failed", problem }]
  }

  const line = (message: object) => `${JSON.stringify(message)}\n`
  return jsonDialogue({
    open: () => [
      {
        id: INITIALIZE,
        method: "initialize",
        params: { clientInfo: { name: "switchyard", title: "Switchyard", version: "1" } },
      },
    ],
    hear(message) {
      if (typeof message.method !== "string") return answered(message)
      if (message.id !== undefined) return asked(message)
      return { events: notified(message.method, objectOf(message.params)) }
    },
    answer(id, decision) {
      if (!permissions.has(id)) return ""
      const request = permissions.get(id)
      permissions.delete(id)
      return line({ id: request, result: { decision: decision === "allow" ? "accept" : "decline" } })
    },
    say(text) {
      const id = ++requests
      return turnId
        ? line({ id, method: "turn/steer", params: { threadId, expectedTurnId: turnId, input: input(text) } })
        : line({ id, method: "turn/start", params: { threadId, input: input(text) } })
    },
    interrupt: () => (turnId ? line({ id: ++requests, method: "turn/interrupt", params: { threadId, turnId } }) : ""),
  })
}

function input(text: string): object[] {
  return [{ type: "text", text, text_elements: [] }]
}

function textEvent(type: "text" | "thinking", text: unknown, id: unknown): AgentEvent[] {
  return textOf(text) ? [{ type, text: textOf(text), message: textOf(id) }] : []
}

function plus(sum: Usage, last: Message): Usage {
  const more = codexUsage(last.inputTokens, last.cachedInputTokens, last.cacheWriteInputTokens, last.outputTokens)
  const add = (a: number | null, b: number | null) => (b === null ? a : (a ?? 0) + b)
  return {
    input: add(sum.input, more.input),
    cache_read: add(sum.cache_read, more.cache_read),
    cache_write: add(sum.cache_write, more.cache_write),
    output: add(sum.output, more.output),
  }
}

type Quota = Extract<AgentEvent, { type: "quota" }>

function quotas(limits: Message): Quota[] {
  return [limits.primary, limits.secondary].flatMap((limit): Quota[] => {
    const { usedPercent, windowDurationMins, resetsAt } = objectOf(limit)
    const used = numberOf(usedPercent)
    const seconds = numberOf(resetsAt)
    const minutes = numberOf(windowDurationMins)
    if (used === null) return []
    const window = minutes === 300 ? "five_hour" : minutes === 10_080 ? "seven_day" : `${minutes ?? "unknown"} minutes`
    return [
      {
        type: "quota",
        window,
        usedPercent: used,
        resetsAt: seconds === null ? null : new Date(seconds * 1000).toISOString(),
      },
    ]
  })
}

const infos: Record<string, ProblemKind> = {
  usageLimitExceeded: "quota_exhausted",
  unauthorized: "auth",
  serverOverloaded: "overloaded",
  internalServerError: "overloaded",
}

function problemOf(error: Message, limits: Quota[]): Problem {
  const info = error.codexErrorInfo
  const message = textOf(error.message)
  if (typeof info === "string") return withReset(problemFrom({ message, kind: infos[info] }), limits)
  const status = numberOf(objectOf(Object.values(objectOf(info))[0]).httpStatusCode)
  return withReset(problemFrom({ message: textOf(error.additionalDetails) || message, status }), limits)
}

/** Codex says of a limit only at what time of day it ends; of several that are used up, the last one counts. */
function withReset(problem: Problem, limits: Quota[]): Problem {
  if (problem.kind !== "quota_exhausted" || problem.resets_at !== undefined) return problem
  const resets = limits.flatMap(({ usedPercent, resetsAt }) => (usedPercent >= 100 && resetsAt ? [resetsAt] : []))
  const resets_at = resets.sort().at(-1)
  return { ...problem, ...(resets_at && { resets_at }) }
}
