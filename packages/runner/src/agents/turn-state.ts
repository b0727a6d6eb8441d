import type { AgentEvent, AgentUsage } from "@switchyard/core/agents/clis/cli"
import { type EndedTurn, turnOutcome } from "@switchyard/core/agents/clis/outcome"
import type { CliId, Outcome, Problem } from "@switchyard/core/agents/clis/schema"
import { createRendering } from "@switchyard/core/agents/conversations/rendering"
import type { Summary } from "@switchyard/core/agents/conversations/schema"
import { createTranscript } from "@switchyard/core/agents/conversations/transcript"
import type { NewEvent } from "@switchyard/core/events"
import type { Answered } from "../gateway/gateway.ts"
import { createTextProgress } from "./text-progress.ts"

export interface TurnEnd {
  outcome: Outcome
  summary: Summary | undefined
  nativeSession: string | null
  lastMessage: string
  /** Whether the agent said anything in its protocol. */
  spoke: boolean
  /** Whether a person took over: the turn is over for that, and nothing is wrong. */
  takenOver: boolean
}

/** The driver's reaction to one event or one answer. */
export interface TurnEffects {
  /** To append to the session's log. */
  events: NewEvent[]
  /** To show in the terminal. */
  text: string
  /** Whether the agent gets further. */
  isAlive: boolean
  /** Whether a command of the agent's is running, which may say nothing for long. */
  isBusy: boolean
  /** Whether the program has nothing left to do. */
  isOver: boolean
  /** Whether the model's API has refused for good, or for long. */
  isRefused: boolean
}

/**
 * The state of one turn: folds the agent's events, and the answers of its model's API, into what is logged, shown and
 * finally returned. Pure but for the clock, so it is tested without a process.
 */
export interface TurnState {
  readonly stopped: EndedTurn["stopped"]
  readonly nativeSession: string | null
  event(event: AgentEvent): TurnEffects
  answer(answered: Answered): TurnEffects
  /** Notes why the program is stopped; false if another reason came first. */
  stop(reason: NonNullable<EndedTurn["stopped"]>): boolean
  /** Notes the limit for which the program is about to be stopped, though its API would go on. */
  limit(problem: Problem): void
  /** Ends the turn for a person; false while there is no session that they could go on with. */
  takeOver(): boolean
  /** The events that are due once the process is gone, and what became of the turn. */
  close(exit: { exitCode: number | null; signal: number | null; stderr: string; isAborted: boolean }): {
    events: NewEvent[]
    end: TurnEnd
  }
}

const NO_USAGE: AgentUsage = { input: 0, cache_read: 0, cache_write: 0, output: 0 }
/** A limit of a minute is over by then, and so is an overload that passes. Programs ask again for longer than that. */
const REFUSED_FOR_LONG_MS = 120_000
const NOTHING: TurnEffects = { events: [], text: "", isAlive: false, isBusy: false, isOver: false, isRefused: false }

export function createTurnState({
  cli,
  hasGateway,
  now,
}: {
  cli: CliId
  /** Whether `answer` is called: the API's own word on usage and refusals then counts, not the agent's. */
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
  let refusal: Problem | undefined
  let limit: Problem | undefined
  let costUsd: number | null = null
  /** The time of the first refusal since the model last said something. */
  let refusedSince: number | undefined
  const commands = new Set<string>()

  /** Whether the model's API has refused for so long that it won't pass soon. */
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

  /** A limit is no progress, and text only if it isn't what the model said before it was asked again. */
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
    if (event.type === "tool_finished") commands.delete(event.id)
    if (event.type === "usage") costUsd = event.costUsd
    if (hasGateway && (event.type === "retrying" || (event.type === "usage" && isCounted))) return NOTHING
    const isAlive = isProgress(event)
    if (isAlive && !hasGateway) refusedSince = undefined
    const isRefused = event.type === "retrying" && isRefusedForLong()
    // Once it is stopped for that, it says that it was stopped.
    if (isRefused) refusal = event.problem
    const isOver = event.type === "turn_completed" || event.type === "turn_failed"
    return { ...record(event), isAlive, isBusy: commands.size > 0, isOver, isRefused }
  }

  /** The API's own answers come first: many agents retry silently, and some don't count their usage. */
  function answer(answered: Answered): TurnEffects {
    if (answered.type === "used") {
      isCounted = true
      // Beside the transcript: the agent may still be saying what it answers.
      return { ...NOTHING, events: [usageEvent(answered.usage, null)] }
    }
    if (answered.type === "ok") {
      refusal = undefined
      refusedSince = undefined
      progress.done()
      return NOTHING
    }
    progress.begunAgain()
    if (answered.type === "broken") return NOTHING
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
        refusal: limit ?? refusal,
        ...process,
        summarised: summary !== undefined,
      })
      const outcome: Outcome = takenOver && !isAborted ? { type: "needs_continuation" } : came
      return { events, end: { outcome, summary, nativeSession, lastMessage, spoke, takenOver } }
    },
  }
}
