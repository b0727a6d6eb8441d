import type { Outcome } from "@switchyard/core/agents/clis/schema"
import type { AgentInput, AgentProgram } from "@switchyard/core/agents/conversations/schema"
import { type Checkpoint, condensed, summaryOf } from "@switchyard/core/agents/hand-off/checkpoint"
import type { HandOffDecision } from "@switchyard/core/agents/hand-off/decide"
import {
  type LimitVerdict,
  limitsOf,
  switchEvent,
  verdictAfterTurn,
  verdictAtStart,
  verdictOnLogin,
  withPast,
  withProgram,
  withUsage,
} from "@switchyard/core/agents/hand-off/limit-state"
import type { NewEvent } from "@switchyard/core/events"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { runOf } from "@switchyard/core/work/runs/state"
import type { LimitStop } from "../agents/turn.ts"

/** Handles the limits that a run reaches, and determines the program that continues the run. */
export interface RunLimits {
  /** Program that currently works on the run. */
  readonly program: AgentProgram
  /**
   * Earlier work of this run, if this program took over from another program. `nativeSession` is this program's own
   * session. If `nativeSession` is null, `summary` describes the work.
   */
  readonly takenOver: { summary: string | undefined; nativeSession: string | null } | undefined
  /** Ends a turn of this program if a rule requires it. */
  readonly stop: LimitStop
  /** Processes the events of the run's turns. Returns the events to append after them. */
  watch(events: NewEvent[]): NewEvent[]
  /** Decides before the first turn how to handle a limit that was already known when the task was given. */
  begin(): Promise<HandOffDecision>
  /** Decides how the run continues after a turn, and appends the decision to the log. */
  afterTurn(outcome: Outcome): Promise<HandOffDecision>
  /**
   * Decides how to continue if another task is using this account's login. Returns when to try again if no program can
   * continue.
   */
  loginInUse(): Promise<{ until: string } | undefined>
}

type Context = Pick<RunContext<AgentInput>, "runId" | "input" | "state" | "history" | "write" | "record">

const GO_ON: HandOffDecision = { type: "continue", notify: null }

/**
 * Reads a run's limits, and applies its owner's rules to the run from then on. `readWork` reads the work that the next
 * program takes over.
 */
export async function openLimits(
  context: Context,
  { now, readWork }: { now: () => number; readWork: () => Promise<Checkpoint> },
): Promise<RunLimits> {
  const run = runOf(context.state(), context.runId)
  const isFirst = run?.generation === 1
  let limits = limitsOf(context.input)
  let takenOver: RunLimits["takenOver"]
  if (!isFirst) await readPast()
  const stop: LimitStop = {
    get reached() {
      return limits.reached?.problem
    },
    onReached: undefined,
  }

  async function readPast(): Promise<void> {
    let nativeSession: string | null | undefined
    for await (const event of context.history()) {
      limits = withPast(limits, event)
      if (event.type === "provider_switched" && event.problem !== null) nativeSession = null
      else if (event.type === "agent_session_opened" && nativeSession !== undefined)
        nativeSession = event.native_session_id
    }
    if (nativeSession === undefined) return
    takenOver = { nativeSession, summary: nativeSession === null ? summaryOf(await readWork()) : undefined }
  }

  function watch(events: NewEvent[]): NewEvent[] {
    return events.flatMap((event) => {
      const { reached } = limits
      const { state, notice } = withUsage(limits, event, now())
      limits = state
      if (state.reached && !reached) stop.onReached?.(state.reached.problem)
      return notice ? [notice] : []
    })
  }

  /**
   * Appends the decision and switches to another program if necessary. The caller parks the run if the decision
   * requires it.
   */
  async function follow({ decision, problem, notice }: LimitVerdict): Promise<HandOffDecision> {
    const told = notice ? [notice] : []
    if (decision.type !== "switch") {
      await context.record(told)
      return decision
    }
    const work = await readWork()
    const ids = { run_id: context.runId, agent_id: runOf(context.state(), context.runId)?.agentId ?? "" }
    const events = [...told, condensed(work), switchEvent(limits.program, decision.program, problem)]
    await context.write(events.map((event) => ({ ...ids, ...event })))
    limits = withProgram(limits, decision.program, problem)
    takenOver = { summary: summaryOf(work), nativeSession: null }
    return decision
  }

  return {
    get program() {
      return limits.program
    },
    get takenOver() {
      return takenOver
    },
    ...{ stop, watch },
    async begin() {
      const verdict = isFirst ? verdictAtStart(limits, now()) : undefined
      return verdict ? follow(verdict) : GO_ON
    },
    async afterTurn(outcome) {
      const verdict = verdictAfterTurn(limits, outcome, now())
      if (!verdict) return GO_ON
      const decision = await follow(verdict)
      limits = { ...limits, reached: undefined }
      return decision
    },
    async loginInUse() {
      const verdict = verdictOnLogin(limits, now())
      const { type } = await follow(verdict)
      return type === "switch" ? undefined : { until: verdict.until }
    },
  }
}
