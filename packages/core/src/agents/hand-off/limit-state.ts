import type { LogEvent, NewEvent } from "../../events.ts"
import type { Outcome, Problem } from "../clis/schema.ts"
import type { AgentInput, AgentProgram } from "../conversations/schema.ts"
import { decideHandOff, type HandOffCase, type HandOffDecision, isPassing, isWeekly, metBy } from "./decide.ts"
import { DEFAULT_PLAN, type LimitKind } from "./schema.ts"

/** Limits that a run has hit, and the program that currently works on the run. */
export interface LimitState extends Pick<HandOffCase, "plan" | "limited" | "returns" | "waits"> {
  program: AgentProgram
  /** Number of times that the run has waited for a login. */
  loginWaits: number
  /** Percentage used of each limit window. */
  used: ReadonlyMap<string, number>
  /** Tokens that the conversation can hold, or null if unknown. */
  contextSize: number | null
  /** Limit window that was used up most recently. */
  lastWindow: string | null
  /** Limit that, according to a rule, ends the turn. */
  reached: { problem: Problem; decision: HandOffDecision } | undefined
}

/** Decision about a problem, and the event that reports the problem to people, if any. */
export interface LimitVerdict {
  decision: HandOffDecision
  problem: Problem
  notice: NewEvent | undefined
}

const FIRST_LOGIN_WAIT_MS = 15_000
const LONGEST_LOGIN_WAIT_MS = 10 * 60_000

/** Name of the conversation's context in the list of limit windows. */
const CONTEXT = "context"

/** Returns the limits of a task before it starts. */
export function limitsOf(input: Pick<AgentInput, "hand_off"> & AgentProgram): LimitState {
  return {
    plan: input.hand_off ?? DEFAULT_PLAN,
    program: programOf(input),
    ...{ limited: {}, returns: 0, waits: 0, loginWaits: 0 },
    ...NOTHING_USED,
  }
}

const NOTHING_USED: Pick<LimitState, "used" | "contextSize" | "lastWindow" | "reached"> = {
  used: new Map(),
  contextSize: null,
  lastWindow: null,
  reached: undefined,
}

/** Returns the limits after an event that an earlier executor of the run has logged. */
export function withPast(state: LimitState, event: LogEvent): LimitState {
  if (event.type === "provider_switched") {
    // If a person chose the program, no limit was involved, and the run's input already names that program.
    if (event.problem === null) return state
    const { to_provider: cli, to_account: account, to_model: model, to_reasoning: reasoning } = event
    return switchedTo(state, { cli, account, model, reasoning }, event.from_account, event.resets_at)
  }
  if (event.type !== "run_parked") return state
  if (event.waits_for?.login) return { ...state, loginWaits: state.loginWaits + 1 }
  return event.waits_for?.until === undefined ? state : { ...state, waits: state.waits + 1 }
}

/** Returns the limits after the decision to continue with another program. */
export function withProgram(state: LimitState, next: AgentProgram, problem: Problem): LimitState {
  return switchedTo(state, next, state.program.account, problem.resets_at ?? null)
}

function switchedTo(state: LimitState, next: AgentProgram, from: string | null, resetsAt: string | null): LimitState {
  const limited = from === null ? state.limited : { ...state.limited, [from]: resetsAt }
  const isReturn = next.account !== null && metBy(limited, next.account) !== undefined
  return { ...state, program: programOf(next), limited, returns: state.returns + Number(isReturn), ...NOTHING_USED }
}

/**
 * Returns the limits after an event of the turn, and a warning if one is due. If a limit ends the turn, it is in
 * `state.reached`. `now` is in milliseconds.
 */
export function withUsage(
  state: LimitState,
  event: NewEvent,
  now: number,
): { state: LimitState; notice: NewEvent | undefined } {
  if (event.type === "agent_quota") return withQuota(state, event, now)
  if (event.type === "agent_context") return withContext(state, event, now)
  return { state, notice: undefined }
}

function withQuota(state: LimitState, quota: Extract<NewEvent, { type: "agent_quota" }>, now: number) {
  const { window, used_percent, resets_at } = quota
  const used = new Map(state.used).set(window, used_percent)
  if (used_percent >= 100) return { state: { ...state, used, lastWindow: window }, notice: undefined }
  const message = `${Math.round(used_percent)} % of the ${window.replaceAll("_", " ")} limit is used.`
  const usage = { event: isWeekly(window) ? "weekly_usage" : "session_usage", window, used_percent, resets_at } as const
  return applyRules(state, { ...state, used }, usage, problemAt(message, resets_at), now)
}

function withContext(state: LimitState, context: Extract<NewEvent, { type: "agent_context" }>, now: number) {
  // Some programs report the size of the context window only at the end of a turn. Until then, use the last known size.
  const contextSize = context.window_tokens ?? state.contextSize
  if (contextSize === null) return { state, notice: undefined }
  const used_percent = Math.min(100, (100 * context.used_tokens) / contextSize)
  const message = `${Math.round(used_percent)} % of the conversation's context is used.`
  const after = { ...state, contextSize, used: new Map(state.used).set(CONTEXT, used_percent) }
  const usage = { event: "context_usage", window: CONTEXT, used_percent, resets_at: null } as const
  // This limit resets immediately, because a new conversation starts with an empty context even if it uses the same
  // account.
  const problem: Problem = { kind: "context_full", message, resets_at: new Date(now).toISOString() }
  return applyRules(state, after, usage, problem, now)
}

/** Applies the rules whose thresholds were crossed. */
function applyRules(
  before: LimitState,
  after: LimitState,
  usage: { event: LimitKind; window: string; used_percent: number; resets_at: string | null },
  problem: Problem,
  now: number,
): ReturnType<typeof withUsage> {
  if (before.reached) return { state: after, notice: undefined }
  const { event, ...share } = usage
  const decision = decide(
    after,
    {
      ...{ type: "usage", event, usedPercent: share.used_percent, before: before.used.get(share.window) ?? 0 },
      resetsAt: problem.resets_at ?? null,
    },
    now,
  )
  if (decision.type === "switch" || decision.type === "park")
    return { state: { ...after, reached: { problem, decision } }, notice: undefined }
  const isTold = decision.type === "continue" && decision.notify !== null
  return {
    state: after,
    notice: isTold ? milestone("usage_threshold", "Usage warning", problem.message, share) : undefined,
  }
}

/** Decides before the first turn what to do about a limit that was already known when the task was given. */
export function verdictAtStart(state: LimitState, now: number): LimitVerdict | undefined {
  const { plan, program } = state
  const until = plan.programs.find(({ account }) => account === program.account)?.limited_until
  if (until === undefined || Date.parse(until) <= now) return undefined
  const problem = problemAt("The limit of this account was used up when the task began.", until)
  const verdict = verdictOn(state, problem, now)
  // If there is no other account, let the agent try anyway, because the limit may have reset.
  return verdict.decision.type === "fail" ? undefined : verdict
}

/** Decides how the run continues after a turn. Returns undefined if the turn had no problem. */
export function verdictAfterTurn(state: LimitState, outcome: Outcome, now: number): LimitVerdict | undefined {
  const problem = problemOf(outcome)
  return problem && verdictOn(state, problem, now)
}

function verdictOn(state: LimitState, problem: Problem, now: number): LimitVerdict {
  const { program, lastWindow, reached } = state
  const resetsAt = problem.resets_at ?? null
  const decision =
    reached?.decision ?? decide(state, { type: "refused", kind: problem.kind, window: lastWindow, resetsAt }, now)
  const isTold = decision.type === "switch" || decision.type === "park" || isLimit(problem)
  const [type, title] = titleOf(problem, lastWindow)
  const details = { account: program.account, action: decision.type, problem: problem.kind, resets_at: resetsAt }
  return { decision, problem, notice: isTold ? milestone(type, title, problem.message, details) : undefined }
}

/**
 * Decides how the run continues if another task is using the login of the run's account. The run continues with another
 * program, or later.
 */
export function verdictOnLogin(state: LimitState, now: number): LimitVerdict & { until: string } {
  const { program, loginWaits } = state
  const waitMs = Math.min(LONGEST_LOGIN_WAIT_MS, FIRST_LOGIN_WAIT_MS * 2 ** loginWaits)
  const until = new Date(now + waitMs).toISOString()
  const message = `Another task uses the login of the account ${program.account}.`
  const problem: Problem = { kind: "overloaded", message, resets_at: until }
  const decision = decide(state, { type: "refused", kind: problem.kind, window: null, resetsAt: until }, now)
  const action = decision.type === "switch" ? "switch" : "park"
  const details = { account: program.account, action, resets_at: until }
  return { decision, problem, until, notice: milestone("login_in_use", "Login in use", message, details) }
}

/** Returns the event that records a change of programs. `why` is the problem that caused it, or another reason. */
export function switchEvent(from: AgentProgram, to: AgentProgram, why: Problem | string) {
  const isReason = typeof why === "string"
  return {
    type: "provider_switched" as const,
    ...{ from_provider: from.cli, from_account: from.account, from_model: from.model },
    ...{ to_provider: to.cli, to_account: to.account, to_model: to.model, to_reasoning: to.reasoning },
    reason: isReason ? why : why.message,
    problem: isReason ? null : why.kind,
    resets_at: isReason ? null : (why.resets_at ?? null),
  }
}

/** Returns the problem that ended a turn. Undefined if the turn ended without a problem. */
export function problemOf(outcome: Outcome): Problem | undefined {
  if (outcome.type === "limit") return { kind: outcome.kind, message: outcome.message, resets_at: outcome.resets_at }
  if (outcome.type === "auth") return { kind: "auth", message: outcome.message }
  return outcome.type === "failed" ? { kind: outcome.problem, message: outcome.message } : undefined
}

/** True if the task could succeed with another account, or with the same account later. */
export function mayPass(outcome: Outcome): boolean {
  const problem = problemOf(outcome)
  return problem !== undefined && isPassing(problem.kind)
}

export function isLimit({ kind }: Problem): boolean {
  return kind === "quota_exhausted" || kind === "context_full" || kind === "rate_limited" || kind === "billing"
}

function decide(state: LimitState, evidence: HandOffCase["evidence"], now: number): HandOffDecision {
  return decideHandOff({ ...state, current: state.program.account, evidence, now })
}

function programOf({ cli, account, model, reasoning }: AgentProgram): AgentProgram {
  return { cli, account, model, reasoning }
}

function problemAt(message: string, resetsAt: string | null): Problem {
  return { kind: "quota_exhausted", message, ...(resetsAt !== null && { resets_at: resetsAt }) }
}

function titleOf(problem: Problem, window: string | null): [type: string, title: string] {
  if (!isLimit(problem)) return ["provider_failed", "Provider failed"]
  if (problem.kind === "context_full") return ["context_limit_reached", "Context limit"]
  return isWeekly(window ?? "") ? ["weekly_limit_reached", "Weekly limit"] : ["session_limit_reached", "Session limit"]
}

type Milestone = Extract<NewEvent, { type: "milestone" }>

function milestone(milestone_type: string, title: string, summary: string, details: Milestone["details"]): Milestone {
  return { type: "milestone", milestone_type, title, summary, details }
}
