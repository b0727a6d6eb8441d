import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { failingNodes } from "./nodes-of-run.ts"
import { withdrawing } from "./questions-of-run.ts"
import { endsRun, type WaitsFor } from "./schema.ts"
import { activeRun, activeRuns, isEnded, type RunState, runOf } from "./state.ts"

/**
 * Wraps a rule so that parked runs are woken in the same batch as the event that they wait for. Thus, no wake-up is
 * lost or premature. If a run ends, the batch also withdraws its open questions, and fails the team node that the run
 * leaves unfinished.
 */
export function waking(rule: Rule): Rule {
  return (state) => {
    const verdict = rule(state)
    if (verdict instanceof AppError) return verdict
    // A run that waits for the end of any run must not be woken by its own end.
    const events = failingNodes(state, withdrawing(state, verdict))
    const left = activeRuns(state).filter(
      ({ runId }) => !events.some((event) => hasMoved(event) && event.run_id === runId),
    )
    const woken = left.filter((run) => events.some((event) => isWaitedFor(run, event)))
    return [...events, ...woken.map(resumed)]
  }
}

/** Returns true if the event itself ends or resumes its run. */
function hasMoved(event: NewEvent): boolean {
  return endsRun(event) || event.type === "run_resumed"
}

/**
 * Wakes a run that waits for its owner's budget. Does nothing if the run has continued since this generation parked it.
 */
export function wakeForBudget({ runId, generation }: Pick<RunState, "runId" | "generation">): Rule {
  return (state) => {
    const run = runOf(state, runId)
    return run && waitsForBudget(run) && run.generation === generation ? [resumed(run)] : []
  }
}

export function waitsForBudget({ status, waitsFor }: RunState): boolean {
  return status === "parked" && waitsFor?.budget === true
}

/** Wakes a single parked run if its condition holds. */
export function wakeRun(runId: string, now: number): Rule {
  return (state) => {
    const run = runOf(state, runId)
    return run?.status === "parked" && hasHappened(state, run, now) ? [resumed(run)] : []
  }
}

/**
 * Returns true if the condition already holds. Ignores conditions that depend on an event, because they are checked
 * when that event is appended.
 */
export function hasHappened(
  state: SessionState,
  { agentId, waitsFor }: Pick<RunState, "agentId" | "waitsFor">,
  now: number,
): boolean {
  if (waitsFor === null) return false
  const { question, run, until, message, team } = waitsFor
  if (team && state.team?.halted === null) return true
  if (message && hasMail(state, agentId)) return true
  if (message && isTriggered(state, agentId, until)) return true
  if (question !== undefined && !state.questions.waiting.some(({ questionId }) => questionId === question)) return true
  if (until !== undefined && Date.parse(until) <= now) return true
  if (run === undefined) return false
  const awaited = runOf(state, run)
  return awaited === undefined || isEnded(awaited)
}

/**
 * Returns true if a member of a running team has unread messages. A coordinating program reads messages only between
 * its turns. During a turn, only its tool calls count.
 */
function hasMail(state: SessionState, agentId: string): boolean {
  const { team } = state
  if (team === null || team.halted !== null) return false
  if (agentId === "coordinator" && team.coordinator) {
    if (team.coordinator.calls.length > 0) return true
    if (activeRun(state, team.coordinator.agentId)) return false
  }
  return (team.inboxes[agentId]?.length ?? 0) > 0
}

/** Returns true if a trigger has matched an event, or is due before the time that the coordinator waits for. */
function isTriggered({ team }: SessionState, agentId: string, until: string | undefined): boolean {
  if (agentId !== "coordinator" || team === null || team.halted !== null) return false
  const active = Object.values(team.triggers).filter(({ status }) => status === "active")
  return active.some(({ nextAt, matches }) => matches.length > 0 || (nextAt !== null && nextAt < (until ?? "~")))
}

export function resumed({ runId, agentId }: Pick<RunState, "runId" | "agentId">): NewEvent {
  return { type: "run_resumed", run_id: runId, agent_id: agentId }
}

/**
 * Interval for checking a run that waits for another run, because a process may die after the other run has ended but
 * before the waiting run is launched.
 */
const CHECK_EVERY_MS = 60_000

/**
 * Returns the time to check a parked run next. Undefined if only a request can wake the run, because the request also
 * launches it.
 */
export function nextCheckAt({ run, until }: WaitsFor, now: number): number | undefined {
  const time = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until)
  const checkAt = run === undefined ? time : Math.min(time, now + CHECK_EVERY_MS)
  return Number.isFinite(checkAt) ? checkAt : undefined
}

/** Returns the IDs of the runs that these events wake. */
export function wokenBy(events: NewEvent[]): string[] {
  return events.flatMap((event) => (event.type === "run_resumed" ? [event.run_id] : []))
}

function isWaitedFor({ status, waitsFor, agentId }: RunState, event: NewEvent): boolean {
  if (status !== "parked" || waitsFor === null) return false
  if (waitsFor.team && event.type === "team_resumed") return true
  if (waitsFor.message && isMail(event, agentId)) return true
  if (waitsFor.events?.includes(event.type)) return true
  if (event.type === "question_answered" || event.type === "question_withdrawn") {
    return event.question_id === waitsFor.question
  }
  return endsRun(event) && (waitsFor.any_run === true || event.run_id === waitsFor.run)
}

const FOR_COORDINATORS: ReadonlySet<string> = new Set(["trigger_created", "trigger_fired", "team_tool_called"])

function isMail(event: NewEvent, agentId: string): boolean {
  if (FOR_COORDINATORS.has(event.type)) return agentId === "coordinator"
  return event.type === "team_message_sent" && (event.to === agentId || event.to === "all") && event.from !== agentId
}
