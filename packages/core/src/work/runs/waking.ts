import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { DueList } from "../../kernel/due.ts"
import { openSessionLog, type Rule, type SessionLogDeps } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import type { Launcher } from "./launcher.ts"
import { endsRun, type WaitsFor } from "./schema.ts"
import { activeRuns, isEnded, type RunState, runOf } from "./state.ts"

/**
 * Wakes parked runs in the batch of what they wait for: the rule's own events decide it, so a wake is neither lost nor guessed.
 */
export function waking(rule: Rule): Rule {
  return (state) => {
    const verdict = rule(state)
    if (verdict instanceof AppError) return verdict
    const woken = activeRuns(state).filter((run) => verdict.some((event) => isWaitedFor(run, event)))
    return [...verdict, ...woken.map(resumed)]
  }
}

/** Wakes one parked run if what it waits for has happened. */
export function wakeRun(runId: string, now: number): Rule {
  return (state) => {
    const run = runOf(state, runId)
    return run?.status === "parked" && hasHappened(state, run.waitsFor, now) ? [resumed(run)] : []
  }
}

/** Whether nothing is left to wait for. What only an event can tell is decided with that event. */
export function hasHappened(state: SessionState, waitsFor: WaitsFor | null, now: number): boolean {
  if (waitsFor === null) return false
  const { run, until } = waitsFor
  if (until !== undefined && Date.parse(until) <= now) return true
  if (run === undefined) return false
  const awaited = runOf(state, run)
  return awaited === undefined || isEnded(awaited)
}

export function resumed({ runId, agentId }: Pick<RunState, "runId" | "agentId">): NewEvent {
  return { type: "run_resumed", run_id: runId, agent_id: agentId }
}

/** The interval of checks of a run that waits for another, in case the process that ended that died before it launched this. */
const CHECK_EVERY_MS = 60_000

/** The time of the next check of a parked run; undefined if only a request can wake it, which then launches it, too. */
export function nextCheckAt({ run, until }: WaitsFor, now: number): number | undefined {
  const time = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until)
  const checkAt = run === undefined ? time : Math.min(time, now + CHECK_EVERY_MS)
  return Number.isFinite(checkAt) ? checkAt : undefined
}

/** Launches the runs that these events woke. Without a launcher, the sweep does. */
export async function launchWoken(
  { due, clock, launcher }: { due: DueList; clock: { now(): number }; launcher?: Pick<Launcher, "start"> },
  { sid, state }: { sid: string; state: SessionState },
  events: NewEvent[],
  options: { signal: AbortSignal },
): Promise<void> {
  for (const event of events) {
    const run = event.type === "run_resumed" ? runOf(state, event.run_id) : undefined
    if (run?.status !== "queued") continue
    await due.add({ kind: "run", sid, run_id: run.runId }, clock.now(), options)
    await launcher?.start({ sid, runId: run.runId, expectedGeneration: run.generation, kind: run.kind }, options)
  }
}

/** Launches a run that another process woke, if it still waits for an executor. */
export async function launchQueued(
  deps: SessionLogDeps & { launcher: Pick<Launcher, "start"> },
  { sid, runId }: { sid: string; runId: string },
  options: { signal: AbortSignal },
): Promise<void> {
  const { state } = await openSessionLog(deps, sid, options)
  const run = runOf(state, runId)
  if (run?.status !== "queued") return
  await deps.launcher.start({ sid, runId, expectedGeneration: run.generation, kind: run.kind }, options)
}

function isWaitedFor({ status, waitsFor }: RunState, event: NewEvent): boolean {
  if (status !== "parked" || waitsFor?.run === undefined) return false
  return endsRun(event) && event.run_id === waitsFor.run
}
