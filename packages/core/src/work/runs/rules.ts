import { AppError } from "../../errors.ts"
import type { NewEvent, SessionEvent } from "../../events.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import type { Verdict } from "../gate/schema.ts"
import { NOT_VERIFIED_HINT } from "./classify-error.ts"
import { mayComplete } from "./may-complete.ts"
import { lostQuestions, withoutIdleWithdrawals } from "./questions-of-run.ts"
import type { WaitsFor } from "./schema.ts"
import { isEnded, type RunState, runOf } from "./state.ts"
import { hasHappened, resumed, waking } from "./waking.ts"

type Payload<T extends SessionEvent["type"]> = Omit<Extract<SessionEvent, { type: T }>, "type">

/** Maximum number of launches without progress before a run fails. */
export const MAX_ATTEMPTS = 3
/**
 * Maximum number of relaunches of a run. Stops agents that kill their own runner again and again, although they make
 * some progress each time.
 */
export const MAX_RELAUNCHES = 10

/**
 * Claims the run. The claim is also the fence: from then on, appends by older generations are refused. Withdraws the
 * questions of older generations. `expected` is the generation when the run was launched, so that a late or repeated
 * launch can't claim the run.
 */
export function claimRun(runId: string, executor: string, expected: number): Rule {
  return (state) => {
    const run = runOf(state, runId)
    if (!run || isEnded(run) || run.status === "parked" || run.generation !== expected) return superseded(runId)
    const claimed = { run_id: runId, agent_id: run.agentId, generation: expected + 1, executor }
    return [...lostQuestions(state, runId), { type: "run_claimed", ...claimed }]
  }
}

/** Appends an executor's events if its claim is the newest one and the run wasn't asked to stop. */
export function appendAsExecutor(runId: string, generation: number, events: NewEvent[]): Rule {
  return (state) => {
    const run = held(state, runId, generation)
    if (run instanceof AppError) return run
    if (run.cancelReason !== null)
      return new AppError("run_cancelled", "The run is being cancelled.", { run_id: runId })
    return events.map((event) =>
      OF_OTHERS.has(event.type) ? event : { ...event, run_id: runId, agent_id: run.agentId },
    )
  }
}

/** Types of events that concern an agent other than the run's own. They keep their own `agent_id`. */
const OF_OTHERS: ReadonlySet<NewEvent["type"]> = new Set(["agent_created", "agent_message_queued"])

/**
 * Appends the events that a rule returns, under the conditions of `appendAsExecutor`. Also wakes the runs that wait for
 * those events.
 */
export function decideAsExecutor(runId: string, generation: number, rule: Rule): Rule {
  return waking((state) => {
    const allowed = appendAsExecutor(runId, generation, [])(state)
    if (allowed instanceof AppError) return allowed
    const verdict = rule(state)
    return verdict instanceof AppError ? verdict : appendAsExecutor(runId, generation, verdict)(state)
  })
}

/**
 * Appends an agent's events like `appendAsExecutor`. If the run is being cancelled, appends only finished merges and
 * the events that end the agent's turn. Leaves out withdrawals of questions that are no longer open, and ends of
 * terminals that are already closed.
 */
export function appendAgentEvents(runId: string, generation: number, events: NewEvent[]): Rule {
  return (state) => {
    const run = held(state, runId, generation)
    if (run instanceof AppError) return run
    const kept = run.cancelReason === null ? events : events.filter(({ type }) => TURN_EVENTS.has(type))
    const said = withoutSecondEnds(state, withoutIdleWithdrawals(state, kept))
    return said.map((event) => ({ ...event, run_id: runId, agent_id: run.agentId }))
  }
}

/**
 * Drops output and end events of terminals that are already closed. A runner that claims the session closes the
 * terminals of the previous runner, although the previous runner still holds its run until that run is claimed too.
 */
function withoutSecondEnds({ runner }: SessionState, events: NewEvent[]): NewEvent[] {
  const open = new Set(runner.terminals.map(({ pty }) => pty))
  return events.filter((event) => {
    if (event.type === "terminal_opened") open.add(event.pty)
    if (event.type === "terminal_output") return open.has(event.pty)
    return event.type !== "terminal_closed" || open.delete(event.pty)
  })
}

const TURN_EVENTS: ReadonlySet<NewEvent["type"]> = new Set([
  "merge_train_step_finished",
  "terminal_opened",
  "terminal_output",
  "terminal_closed",
  "agent_turn_started",
  "agent_turn_finished",
  "agent_session_opened",
  "agent_usage",
  "agent_quota",
  "agent_context",
  "agent_retried",
  "agent_permitted",
  "agent_refused",
  "question_withdrawn",
  "agent_notice",
  "agent_changes_reverted",
  "user_message",
  "assistant_message",
  "progress",
  "tool_call_started",
  "tool_call_finished",
  "chat_answered",
  "chat_turn_settled",
])

/** End of a run, as reported by its executor. */
export type RunEnd =
  | { type: "run_completed"; warning?: string; verdict?: Verdict }
  | { type: "run_cancelled"; reason: string }
  | ({ type: "run_failed" } & Pick<
      Payload<"run_failed">,
      "error_type" | "message" | "hint" | "verdict" | "exception_chain"
    >)

/** Ends the run as reported by its executor or, if a cancellation came first, as cancelled. */
export function endRun(runId: string, generation: number, now: number, end: RunEnd): Rule {
  return waking((state) => {
    const run = held(state, runId, generation)
    if (run instanceof AppError) return run
    const common = { run_id: runId, agent_id: run.agentId, duration_ms: now - Date.parse(run.createdAt) }
    if (run.cancelReason !== null) return [{ type: "run_cancelled", ...common, reason: run.cancelReason }]
    if (end.type !== "run_completed") return [{ ...end, ...common }]
    if (!mayComplete(run.verification, end.verdict)) return [{ ...notVerified(end.verdict), ...common }]
    return [{ ...end, ...common, workspace_version: state.workspace.version }]
  })
}

/** Returns true if a run that made no progress should end instead of being relaunched. */
export function isGivenUp(run: RunState): boolean {
  return run.cancelReason !== null || isStartedTooOften(run)
}

/**
 * Asks the run to stop. If the run has no executor, cancels it immediately, after its closing events. Does nothing if
 * the run has ended.
 */
export function cancelRun(runId: string, reason: string, now: number, ends: NewEvent[] = []): Rule {
  return waking((state) => {
    const run = runOf(state, runId)
    if (!run) return new AppError("run_not_found", "There is no such run.", { run_id: runId })
    if (isEnded(run) || run.cancelReason !== null) return []
    const request: NewEvent = { type: "run_cancel_requested", run_id: runId, agent_id: run.agentId, reason }
    return run.status === "running"
      ? [request]
      : [request, ...ends, cancelled(run, now - Date.parse(run.createdAt), reason)]
  })
}

function isStartedTooOften({ attempts, relaunches }: RunState): boolean {
  return attempts >= MAX_ATTEMPTS || relaunches >= MAX_RELAUNCHES
}

/**
 * Relaunches a run that made no progress, or ends it after its closing events. `seen` is the state of the run on which
 * the caller based its decision. Appends nothing if the run has changed since then, for example because another sweep
 * was faster.
 */
export function relaunchRun(seen: RunState, reason: string, now: number, ends: NewEvent[] = []): Rule {
  return waking((state) => {
    const run = runOf(state, seen.runId)
    const moved = !run || run.generation !== seen.generation || run.attempts !== seen.attempts
    if (moved || run.status !== seen.status || isEnded(run) || run.status === "parked") return []
    const durationMs = now - Date.parse(run.createdAt)
    if (run.cancelReason !== null) return [...ends, cancelled(run, durationMs, run.cancelReason)]
    if (isStartedTooOften(run)) return [...ends, gaveUp(run, durationMs, reason)]
    return [{ type: "run_relaunched", run_id: run.runId, agent_id: run.agentId, attempt: run.attempts + 1, reason }]
  })
}

/**
 * Fails a run for which no runner could be started, after its closing events. Does nothing if the run has been claimed
 * or has ended since the launch.
 */
export function failLaunch(
  { runId }: Pick<RunState, "runId">,
  expected: number,
  { reason, now, ends }: { reason: string; now: number; ends: NewEvent[] },
): Rule {
  return waking((state) => {
    const run = runOf(state, runId)
    if (run?.status !== "queued" || run.generation !== expected) return []
    const durationMs = now - Date.parse(run.createdAt)
    const message = `Couldn't start a runner for the agent: ${reason}`
    const hint = "Try again in a few minutes. If it happens again, check the worker's log for the cause."
    const failure = { error_type: "agents_unavailable", message, hint, duration_ms: durationMs }
    return [...ends, { type: "run_failed", run_id: runId, agent_id: run.agentId, ...failure }]
  })
}

/** Hands the run over to a successor. Must only be called between two steps. */
export function handOverRun(runId: string, generation: number, now: number): Rule {
  return (state) => {
    const run = held(state, runId, generation)
    if (run instanceof AppError) return run
    if (run.cancelReason !== null) return [cancelled(run, now - Date.parse(run.createdAt), run.cancelReason)]
    return [{ type: "run_handed_over", run_id: runId, agent_id: run.agentId, generation }]
  }
}

/**
 * Parks the run between two steps, until its condition wakes it. If the condition already holds, wakes the run in the
 * same batch.
 */
export function parkRun(
  runId: string,
  generation: number,
  { reason, waitsFor, now }: { reason: string; waitsFor: WaitsFor | null; now: number },
): Rule {
  return (state) => {
    const run = held(state, runId, generation)
    if (run instanceof AppError) return run
    if (run.cancelReason !== null) return [cancelled(run, now - Date.parse(run.createdAt), run.cancelReason)]
    const about = { run_id: runId, agent_id: run.agentId }
    const parked = { type: "run_parked" as const, ...about, generation, reason, waits_for: waitsFor ?? undefined }
    return hasHappened(state, { ...run, waitsFor }, now) ? [parked, resumed(run)] : [parked]
  }
}

/**
 * Allows a parked run to be claimed again. Does nothing if the run has already continued. Refuses if the run has ended.
 */
export function resumeRun(runId: string): Rule {
  return (state) => {
    const run = runOf(state, runId)
    if (!run) return new AppError("run_not_found", "There is no such run.", { run_id: runId })
    if (isEnded(run)) return runEnded(run)
    return run.status === "parked" ? [resumed(run)] : []
  }
}

/** Returns the error for a request to resume an ended run. */
export function runEnded({ runId, status }: Pick<RunState, "runId" | "status">): AppError {
  return new AppError("run_ended", `The run is ${status}, so it can't be resumed. Start a new one.`, {
    run_id: runId,
    status,
  })
}

function held(state: SessionState, runId: string, generation: number): RunState | AppError {
  const run = runOf(state, runId)
  return run?.status === "running" && run.generation === generation ? run : superseded(runId)
}

function superseded(runId: string): AppError {
  return new AppError("run_superseded", "Another executor has taken over the run, or the run has ended.", {
    run_id: runId,
  })
}

function cancelled(run: RunState, durationMs: number, reason: string): NewEvent {
  return { type: "run_cancelled", run_id: run.runId, agent_id: run.agentId, duration_ms: durationMs, reason }
}

/** Returns the failure for a run that reports success without the required evidence. */
function notVerified(verdict: Verdict | undefined) {
  const message = "The current state of the work hasn't been verified."
  const failure = { error_type: "not_verified", message, hint: NOT_VERIFIED_HINT }
  return { type: "run_failed" as const, ...failure, ...(verdict && { verdict }) }
}

function gaveUp(run: RunState, durationMs: number, reason: string): NewEvent {
  const isStuck = run.attempts >= MAX_ATTEMPTS
  const times = `${isStuck ? run.attempts : run.relaunches + 1} times`
  return {
    type: "run_failed",
    run_id: run.runId,
    agent_id: run.agentId,
    duration_ms: durationMs,
    error_type: "executor_lost",
    message: `The run was started ${times} without getting ${isStuck ? "anywhere" : "to its end"}: ${reason}.`,
    hint: "Processes that die repeatedly usually lack memory. Check the log of the server or the worker, then try again.",
  }
}
