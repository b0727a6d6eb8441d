import type { Outcome, Problem } from "@switchyard/core/agents/clis/schema"
import type { AgentInput, AgentProgram } from "@switchyard/core/agents/conversations/schema"
import { condensed, readCheckpoint, summaryOf } from "@switchyard/core/agents/hand-off/checkpoint"
import {
  decideHandOff,
  type HandOffDecision,
  isPassing,
  isWeekly,
  metBy,
} from "@switchyard/core/agents/hand-off/decide"
import { DEFAULT_PLAN, type LimitKind } from "@switchyard/core/agents/hand-off/schema"
import type { EventOf, NewEvent } from "@switchyard/core/events"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { runOf } from "@switchyard/core/work/runs/state"
import type { LimitStop } from "../agents/turn.ts"

/** Limits that a run meets, and the program that continues it. */
export interface RunLimits {
  /** The program that works on the run now. */
  readonly program: AgentProgram
  /** Work before this program took over: a summary if the program doesn't know it, else its own session. */
  readonly takenOver: { summary: string | undefined; nativeSession: string | null } | undefined
  /** Ends a turn of this program if a rule says so. */
  readonly stop: LimitStop
  /** Observes the events of the run's turns. Returns the events to append after them. */
  watch(events: NewEvent[]): NewEvent[]
  /** Decides before the first turn about a limit that was known when the task was given. */
  begin(): Promise<HandOffDecision>
  /** True if another account, or the same one later, could succeed. */
  isPassing(outcome: Outcome): boolean
  /** Decides how the run continues after a turn, and appends the decision. */
  afterTurn(outcome: Outcome): Promise<HandOffDecision>
  /** Decides how to continue while another task uses this account's log-in. Returns when to retry if no program can. */
  loginInUse(): Promise<{ until: string } | undefined>
}

type Context = Pick<
  RunContext<AgentInput>,
  "runId" | "input" | "state" | "catchUp" | "history" | "write" | "record" | "signal"
>

interface Past {
  switched: EventOf<"provider_switched"> | undefined
  /** Session opened since the switch. */
  nativeSession: string | null
  limited: { [account: string]: string | null }
  returns: number
  waits: number
  /** Number of waits for a log-in. */
  loginWaits: number
}

const FIRST_LOGIN_WAIT_MS = 15_000
const LONGEST_LOGIN_WAIT_MS = 10 * 60_000

/** Reads the history of the run's limits from its events. */
async function readPast(context: Context): Promise<Past> {
  const past: Past = { switched: undefined, nativeSession: null, limited: {}, returns: 0, waits: 0, loginWaits: 0 }
  if (isFirstClaim(context)) return past
  for await (const event of context.history()) {
    if (event.type === "provider_switched") {
      past.switched = event
      past.nativeSession = null
      if (event.from_account !== null) past.limited[event.from_account] = event.resets_at
      if (isReturn(past.limited, event.to_account)) past.returns++
    } else if (event.type === "agent_session_opened") past.nativeSession = event.native_session_id
    else if (event.type === "run_parked" && event.waits_for?.login) past.loginWaits++
    else if (event.type === "run_parked" && event.waits_for?.until !== undefined) past.waits++
  }
  return past
}

/** Reads a run's limits, and applies its owner's rules from then on. */
export async function openLimits(context: Context, now: () => number): Promise<RunLimits> {
  const { input } = context
  const plan = input.hand_off ?? DEFAULT_PLAN
  const past = await readPast(context)
  const { limited, waits } = past
  let { returns } = past
  let program = programAfter(past.switched) ?? programOf(input)
  let takenOver = past.switched && {
    nativeSession: past.nativeSession,
    summary: past.nativeSession === null ? summaryOf(await checkpointOf(context)) : undefined,
  }
  const used = new Map<string, number>()
  let contextSize: number | null = null
  let lastWindow: string | null = null
  let reached: { problem: Problem; decision: HandOffDecision } | undefined
  const stop: LimitStop = {
    get reached() {
      return reached?.problem
    },
    onReached: undefined,
  }

  const decide = (evidence: Parameters<typeof decideHandOff>[0]["evidence"]) =>
    decideHandOff({ plan, current: program.account, limited, returns, waits, evidence, now: now() })

  function watch(events: NewEvent[]): NewEvent[] {
    return events.flatMap((event) => {
      if (event.type === "agent_quota") return onQuota(event)
      return event.type === "agent_context" ? onContext(event) : []
    })
  }

  function onQuota({ window, used_percent, resets_at }: Extract<NewEvent, { type: "agent_quota" }>): NewEvent[] {
    const before = used.get(window) ?? 0
    used.set(window, used_percent)
    if (used_percent >= 100) {
      lastWindow = window
      return []
    }
    const message = `${Math.round(used_percent)} % of the ${window.replaceAll("_", " ")} limit is used.`
    const event: LimitKind = isWeekly(window) ? "weekly_usage" : "session_usage"
    return usageEvents(event, { before, window, used_percent }, problemAt(message, resets_at))
  }

  function onContext({ used_tokens, window_tokens }: Extract<NewEvent, { type: "agent_context" }>): NewEvent[] {
    // Some programs report the window's size only at the end of a turn, so the last known size is used until then.
    contextSize = window_tokens ?? contextSize
    if (contextSize === null) return []
    const used_percent = Math.min(100, (100 * used_tokens) / contextSize)
    const about = { before: used.get(CONTEXT) ?? 0, window: CONTEXT, used_percent }
    used.set(CONTEXT, used_percent)
    const message = `${Math.round(used_percent)} % of the conversation's context is used.`
    // A new conversation starts with an empty context, even with this account.
    const resets_at = new Date(now()).toISOString()
    return usageEvents("context_usage", about, { kind: "context_full", message, resets_at })
  }

  /** Applies the rules whose threshold was crossed. */
  function usageEvents(
    event: LimitKind,
    { before, ...share }: { before: number; window: string; used_percent: number },
    problem: Problem,
  ): NewEvent[] {
    if (reached) return []
    const resetsAt = problem.resets_at ?? null
    const decision = decide({ type: "usage", event, usedPercent: share.used_percent, before, resetsAt })
    if (decision.type === "switch" || decision.type === "park") {
      reached = { problem, decision }
      stop.onReached?.(problem)
      return []
    }
    if (decision.type !== "continue" || decision.notify === null) return []
    const details = { ...share, resets_at: event === "context_usage" ? null : resetsAt }
    return [milestone("usage_threshold", "Usage warning", problem.message, details)]
  }

  async function afterTurn(outcome: Outcome): Promise<HandOffDecision> {
    const problem = problemOf(outcome)
    if (!problem) return { type: "continue", notify: null }
    const decision =
      reached?.decision ??
      decide({ type: "refused", kind: problem.kind, window: lastWindow, resetsAt: problem.resets_at ?? null })
    await follow(decision, problem)
    reached = undefined
    return decision
  }

  async function loginInUse(): Promise<{ until: string } | undefined> {
    const waitMs = Math.min(LONGEST_LOGIN_WAIT_MS, FIRST_LOGIN_WAIT_MS * 2 ** past.loginWaits)
    const until = new Date(now() + waitMs).toISOString()
    const message = `Another task uses the log-in of the account ${program.account}.`
    const problem: Problem = { kind: "overloaded", message, resets_at: until }
    const decision = decide({ type: "refused", kind: problem.kind, window: null, resetsAt: until })
    const action = decision.type === "switch" ? "switch" : "park"
    const event = milestone("login_in_use", "Log-in in use", message, {
      account: program.account,
      action,
      resets_at: until,
    })
    if (decision.type === "switch") await follow(decision, problem, event)
    else await context.record([event])
    return decision.type === "switch" ? undefined : { until }
  }

  async function begin(): Promise<HandOffDecision> {
    const own = plan.programs.find(({ account }) => account === program.account)
    const until = own?.limited_until
    if (!isFirstClaim(context) || until === undefined || Date.parse(until) <= now()) {
      return { type: "continue", notify: null }
    }
    const problem = problemAt("The limit of this account was used up when the task began.", until)
    const decision = decide({ type: "refused", kind: problem.kind, window: null, resetsAt: until })
    // The limit may have reset already. Without another account, the agent tries.
    if (decision.type === "fail") return { type: "continue", notify: null }
    await follow(decision, problem)
    return decision
  }

  /** Appends the decision, and switches programs. Parking is up to the caller. */
  async function follow(
    decision: HandOffDecision,
    problem: Problem,
    event = limitMilestone(problem, lastWindow, { account: program.account, action: decision.type }),
  ): Promise<void> {
    if (decision.type !== "switch") return context.record(decision.type === "park" || isLimit(problem) ? [event] : [])
    const checkpoint = await checkpointOf(context)
    const { program: next } = decision
    await context.write([event, condensed(checkpoint), switchEvent(program, next, problem)].map(inRun(context)))
    if (program.account !== null) limited[program.account] = problem.resets_at ?? null
    if (isReturn(limited, next.account)) returns++
    program = programOf(next)
    takenOver = { summary: summaryOf(checkpoint), nativeSession: null }
    used.clear()
    contextSize = null
    lastWindow = null
  }

  return {
    get program() {
      return program
    },
    get takenOver() {
      return takenOver
    },
    isPassing(outcome) {
      const problem = problemOf(outcome)
      return problem !== undefined && isPassing(problem.kind)
    },
    ...{ stop, watch, begin, afterTurn, loginInUse },
  }
}

/** Window name of the conversation's context among the limits. */
const CONTEXT = "context"

/** True if the account met a limit earlier in the task. */
function isReturn(limited: Past["limited"], account: string | null): boolean {
  return account !== null && metBy(limited, account) !== undefined
}

function isFirstClaim({ state, runId }: Context): boolean {
  return runOf(state(), runId)?.generation === 1
}

/** Reads everything that the log contains of the run, including this executor's events. */
async function checkpointOf(context: Context) {
  return readCheckpoint(context.input.task, context.history())
}

function programOf({ cli, account, model, reasoning }: AgentProgram): AgentProgram {
  return { cli, account, model, reasoning }
}

function programAfter(switched: EventOf<"provider_switched"> | undefined): AgentProgram | undefined {
  if (!switched) return undefined
  const { to_provider: cli, to_account: account, to_model: model, to_reasoning: reasoning } = switched
  return { cli, account, model, reasoning }
}

function switchEvent(from: AgentProgram, to: AgentProgram, problem: Problem) {
  return {
    type: "provider_switched" as const,
    ...{ from_provider: from.cli, from_account: from.account, from_model: from.model },
    ...{ to_provider: to.cli, to_account: to.account, to_model: to.model, to_reasoning: to.reasoning },
    ...{ reason: problem.message, problem: problem.kind, resets_at: problem.resets_at ?? null },
  }
}

function inRun({ runId, state }: Context) {
  const agent_id = runOf(state(), runId)?.agentId ?? ""
  return <E extends object>(event: E) => ({ run_id: runId, agent_id, ...event })
}

/** Returns the problem that ended a turn, if another account, or this one later, could continue. */
export function problemOf(outcome: Outcome): Problem | undefined {
  if (outcome.type === "limit") return { kind: outcome.kind, message: outcome.message, resets_at: outcome.resets_at }
  if (outcome.type === "auth") return { kind: "auth", message: outcome.message }
  return outcome.type === "failed" ? { kind: outcome.problem, message: outcome.message } : undefined
}

function problemAt(message: string, resetsAt: string | null): Problem {
  return { kind: "quota_exhausted", message, ...(resetsAt !== null && { resets_at: resetsAt }) }
}

export function isLimit({ kind }: Problem): boolean {
  return kind === "quota_exhausted" || kind === "context_full" || kind === "rate_limited" || kind === "billing"
}

function limitMilestone(problem: Problem, window: string | null, details: MilestoneDetails): NewEvent {
  const { kind, message, resets_at = null } = problem
  const [type, title] = titleOf(problem, window)
  return milestone(type, title, message, { ...details, problem: kind, resets_at })
}

function titleOf(problem: Problem, window: string | null): [type: string, title: string] {
  if (!isLimit(problem)) return ["provider_failed", "Provider failed"]
  if (problem.kind === "context_full") return ["context_limit_reached", "Context limit"]
  return isWeekly(window ?? "") ? ["weekly_limit_reached", "Weekly limit"] : ["session_limit_reached", "Session limit"]
}

type MilestoneDetails = Extract<NewEvent, { type: "milestone" }>["details"]

function milestone(milestone_type: string, title: string, summary: string, details: MilestoneDetails): NewEvent {
  return { type: "milestone", milestone_type, title, summary, details }
}
