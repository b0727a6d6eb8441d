import type { CliId } from "@switchyard/core/agents/clis/clis"
import type { AgentEvent, AgentUsage } from "@switchyard/core/agents/clis/protocol"
import type { Outcome, Problem } from "@switchyard/core/agents/clis/schema"
import { createRendering } from "@switchyard/core/agents/conversations/rendering"
import type { Summary } from "@switchyard/core/agents/conversations/schema"
import { createTranscript } from "@switchyard/core/agents/conversations/transcript"
import { type EndedTurn, turnOutcome } from "@switchyard/core/agents/protocols/outcome"
import type { NewEvent } from "@switchyard/core/events"
import type { Answered } from "../gateway/response.ts"
import { createTextProgress } from "./text-progress.ts"

export interface TurnEnd {
  outcome: Outcome
  summary: Summary | undefined
  nativeSession: string | null
  lastMessage: string
  /** True if the agent sent any protocol message. */
  spoke: boolean
  /** True if a person took over, which ends the turn without an error. */
  takenOver: boolean
  /** Monotonic time of the model's first failure since its last output. Null if the model hasn't failed since then. */
  failingSince: number | null
  /** True if one of the agent's tools returned a result. */
  hasWorked: boolean
}

/** Effects of a single event or response. */
export interface TurnEffects {
  /** Events to append to the session log. */
  events: NewEvent[]
  /** Text to show in the terminal. */
  text: string
  /** True if the agent is making progress. */
  isAlive: boolean
  /** True while the agent runs a command, because a command may print nothing for a long time. */
  isBusy: boolean
  /** True if the program has nothing left to do. */
  isOver: boolean
  /** True if the model API refuses permanently, or has been refusing for too long. */
  isRefused: boolean
}

/**
 * State of one turn. It determines which events to log, what to show and what to return when the agent sends an event
 * or the model API responds. It is pure except for the clock, so tests need no process.
 */
export interface TurnState {
  readonly stopped: EndedTurn["stopped"]
  readonly nativeSession: string | null
  event(event: AgentEvent): TurnEffects
  answer(answered: Answered): TurnEffects
  /** Records why the program is stopped. Returns false if another reason was recorded earlier. */
  stop(reason: NonNullable<EndedTurn["stopped"]>): boolean
  /** Records a limit that requires stopping the program, even though the model API still responds. */
  limit(problem: Problem): void
  /** Ends the turn so that a person can take over. Returns false if there is no session yet that could be resumed. */
  takeOver(): boolean
  /** Returns the remaining events and the turn's result. Called once the process has exited. */
  close(exit: { exitCode: number | null; signal: number | null; stderr: string; isAborted: boolean }): {
    events: NewEvent[]
    end: TurnEnd
  }
}

const NO_USAGE: AgentUsage = { input: 0, cache_read: 0, cache_write: 0, output: 0 }
/**
 * Duration of refusals after which the API counts as unavailable. Per-minute limits and short overloads end sooner, but
 * CLIs would retry for longer.
 */
export const REFUSED_FOR_LONG_MS = 120_000
const CUT_OFF: Problem = { kind: "network", message: "The model's answer was cut off." }
const NOTHING: TurnEffects = { events: [], text: "", isAlive: false, isBusy: false, isOver: false, isRefused: false }

export function createTurnState({
  cli,
  hasGateway,
  now,
}: {
  cli: CliId
  /**
   * True if there is a gateway that calls `answer`. Refusals are then taken from the API's responses, and refusals
   * reported by the agent are ignored. So is the agent's usage once a response has reported usage.
   */
  hasGateway: boolean
  now: () => number
}): TurnState {
  const transcript = createTranscript({ cli, now })
  const rendering = createRendering()
  const progress = createTextProgress()
  let isCounted = false
  let stopped: EndedTurn["stopped"]
  let spoke = false
  let takenOver = false
  let hasWorked = false
  let refusal: Problem | undefined
  let limit: Problem | undefined
  let cut: Problem | undefined
  let costUsd: number | null = null
  /** Time of the first refusal since the model's last output. */
  let refusedSince: number | undefined
  const commands = new Set<string>()

  /** True if the model API has been refusing for so long that it probably won't recover soon. */
  function isRefusedForLong(): boolean {
    refusedSince ??= now()
    return now() - refusedSince >= REFUSED_FOR_LONG_MS
  }

  function record(event: AgentEvent): TurnEffects {
    return { ...NOTHING, text: rendering.render(event), events: transcript.take(event) }
  }

  function usageEvent(usage: AgentUsage, cost_usd: number | null): NewEvent {
    return { type: "agent_usage", cli, usage, cost_usd, basis: "requests" }
  }

  /**
   * True if the event shows progress. False for reports about limits, and for text that the model had already sent
   * before a retry.
   */
  function isProgress(event: AgentEvent): boolean {
    if (event.type === "text" || event.type === "thinking") return progress.said(event.text)
    if (event.type === "quota" || event.type === "context") return false
    if (event.type === "retrying") progress.begunAgain()
    else progress.done()
    return event.type !== "retrying"
  }

  function event(event: AgentEvent): TurnEffects {
    spoke = true
    if (event.type === "tool_started" && event.tool === "bash") commands.add(event.id)
    if (event.type === "tool_finished") {
      commands.delete(event.id)
      hasWorked = true
    }
    if (event.type === "usage") costUsd = event.costUsd
    if (hasGateway && (event.type === "retrying" || (event.type === "usage" && isCounted))) return NOTHING
    const isAlive = isProgress(event)
    if (isAlive && !hasGateway) refusedSince = undefined
    const isRefused = event.type === "retrying" && isRefusedForLong()
    // A stopped program reports only that it was stopped, so record the problem now.
    if (isRefused) refusal = event.problem
    const isOver = event.type === "turn_completed" || event.type === "turn_failed"
    return { ...record(event), isAlive, isBusy: commands.size > 0, isOver, isRefused }
  }

  /**
   * Takes usage and refusals from the API's own responses, because many agents don't report their retries, and some
   * don't report usage.
   */
  function answer(answered: Answered): TurnEffects {
    if (answered.type === "used") {
      isCounted = true
      // Return the event without passing it through the transcript: the agent may still be printing this response.
      return { ...NOTHING, events: [usageEvent(answered.usage, null)] }
    }
    if (answered.type === "ok") {
      refusal = undefined
      cut = undefined
      refusedSince = undefined
      progress.done()
      return NOTHING
    }
    progress.begunAgain()
    if (answered.type === "broken") {
      cut = CUT_OFF
      return NOTHING
    }
    refusal = answered.problem
    return {
      ...record({ type: "retrying", problem: answered.problem }),
      isRefused: isRefusedForLong() || answered.final,
    }
  }

  return {
    get stopped() {
      return stopped
    },
    get nativeSession() {
      return transcript.nativeSession
    },
    event,
    answer,
    stop(reason) {
      if (stopped) return false
      stopped = reason
      return true
    },
    limit(problem) {
      limit = problem
    },
    takeOver() {
      takenOver = transcript.nativeSession !== null
      return takenOver
    },
    close({ exitCode, signal, stderr, isAborted }) {
      const cost = isCounted && costUsd !== null ? [usageEvent(NO_USAGE, costUsd)] : []
      const events = [...cost, ...transcript.close()]
      const { end, retrying, summary, nativeSession, lastMessage } = transcript
      const process = { stopped, exitCode, signal, stderr }
      const came = turnOutcome({
        end,
        retrying,
        ...{ refusal: limit ?? refusal, cut },
        ...process,
        summarised: summary !== undefined,
      })
      const outcome: Outcome = takenOver && !isAborted ? { type: "needs_continuation" } : came
      const more = { failingSince: refusedSince ?? null, hasWorked }
      return { events, end: { outcome, summary, nativeSession, lastMessage, spoke, takenOver, ...more } }
    },
  }
}
