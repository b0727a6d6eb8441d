import type { EventOf, LogEvent } from "../../events.ts"
import { MAIN_WORKTREE } from "../../files/worktrees/names-schema.ts"
import type { Part } from "../../kernel/part.ts"
import type { SessionState } from "../../state.ts"
import type { Verdict } from "../gate/schema.ts"
import type { Verified } from "../verification/schema.ts"
import { type RunKind, usesWorktree } from "./kinds.ts"
import { stepsAfter } from "./progress.ts"
import type { RunStatus, WaitsFor } from "./schema.ts"

/** State of a run, as needed by rules. */
export interface RunState {
  runId: string
  kind: RunKind
  /** Short form of the request. */
  title: string
  agentId: string
  /** Name of the agent's worktree. */
  worktree: string
  /** Model as `provider/model`. */
  model: string
  /** Account used by the agent. Null if it uses the server's own keys. */
  account: string | null
  status: RunStatus
  /** Number of the newest claim. 0 before the first claim. */
  generation: number
  executor: string | null
  cancelReason: string | null
  /** Event or time that wakes a parked run. Null if the run isn't parked, or if only a request wakes it. */
  waitsFor: WaitsFor | null
  /** Number of launches since the last progress, including the first launch. */
  attempts: number
  /** Number of relaunches since the last progress from which a successor can continue. */
  relaunches: number
  /** Names of finished steps. Emptied when the run ends. */
  doneSteps: string[]
  /** Reported number of finished steps, and number of all steps. Null until there is a plan. */
  progress: { step: number; total: number } | null
  firstSeq: number
  /** Event that ended the run. */
  lastSeq: number | null
  createdAt: string
  /** Time of the first claim. */
  startedAt: string | null
  /** Time of the newest claim. */
  claimedAt: string | null
  endedAt: string | null
  /** Newest event in which the agent reported its progress. */
  progressSeq: number | null
  milestoneSeq: number | null
  /** Newest evidence about the run's work. Null if the run doesn't need verification. */
  verification: Verified | null
  /** Start of the current launch. Null if no launch is under way. */
  launchedAt: string | null
  /** Reason for waiting, from the newest report about a runner. Null if that report doesn't say that the run waits. */
  waitingReason: string | null
}

export interface RunsState {
  /** Active runs, and the runs that ended most recently. Older runs are stored as records, see `storeEndedRuns`. */
  byId: { [runId: string]: RunState }
  /** Number of runs that were dropped from the state, and the highest ID among them. */
  forgotten: { runs: number; upTo: string | null }
  /** Newest verdict reported by a run. Excludes verdicts about a single node of a team or about earlier tests. */
  verdict: Verdict | null
}

export const runsPart: Part<RunsState> = {
  version: 12,
  initial: { byId: {}, forgotten: { runs: 0, upTo: null }, verdict: null },
  apply(runs, event) {
    if (!event.run_id) return runs
    const run = runs.byId[event.run_id]
    const change = event.type === "run_created" ? createdRun(event) : run && runChange(run, event)
    if (!change) return runs
    const shown = "verdict" in event ? event.verdict : undefined
    const verdict = shown && shown.node_id === undefined && shown.tests_of === undefined ? shown : runs.verdict
    return { ...runs, verdict, byId: { ...runs.byId, [event.run_id]: { ...run, ...change } as RunState } }
  },
}

/** Returns the run with this ID. The ID may be any text sent by a client. */
export function runOf({ runs }: SessionState, runId: string): RunState | undefined {
  return Object.hasOwn(runs.byId, runId) ? runs.byId[runId] : undefined
}

export function isEnded(run: RunState): boolean {
  return run.status === "completed" || run.status === "failed" || run.status === "cancelled"
}

/** Returns the agent's active run. Until that run ends, the agent can't have another one. */
export function activeRun(state: SessionState, agentId: string): RunState | undefined {
  return activeRuns(state).find((run) => run.agentId === agentId)
}

export function activeRuns({ runs }: SessionState): RunState[] {
  return Object.values(runs.byId).filter((run) => !isEnded(run))
}

/** Returns the runs that have a process or will soon have one, which are all active runs except parked ones. */
export function liveRuns(state: SessionState): RunState[] {
  return activeRuns(state).filter(({ status }) => status !== "parked")
}

/** Returns the agent's running run, which receives messages to the agent. */
export function runningAgent(state: SessionState, agentId: string): RunState | undefined {
  const run = activeRun(state, agentId)
  return run && usesWorktree(run) && run.status === "running" ? run : undefined
}

/** Returns the run that has exclusive access to a worktree, because it works there or is about to start there. */
export function runInWorktree(state: SessionState, worktree: string = MAIN_WORKTREE): RunState | undefined {
  return activeRuns(state).find((run) => usesWorktree(run) && run.worktree === worktree)
}

/** Returns the run that a runner is executing in a worktree. */
export function runningInWorktree(state: SessionState, worktree: string = MAIN_WORKTREE): RunState | undefined {
  return activeRuns(state).find((run) => usesWorktree(run) && run.worktree === worktree && run.status === "running")
}

/** Number of ended runs kept in the state, which is enough to show recent runs. */
export const MAX_ENDED_RUNS = 50

/**
 * Removes the oldest ended runs beyond the limit, and returns them separately. The caller must store them before it
 * stores the state.
 */
export function forgetRuns(state: RunsState): { runs: RunsState; left: RunState[] } {
  const { byId, forgotten } = state
  const ended = Object.values(byId).filter(isEnded)
  if (ended.length <= MAX_ENDED_RUNS) return { runs: state, left: [] }
  const left = ended.sort((a, b) => (a.lastSeq ?? 0) - (b.lastSeq ?? 0)).slice(0, -MAX_ENDED_RUNS)
  const gone = new Set(left.map(({ runId }) => runId))
  const stay = Object.fromEntries(Object.entries(byId).filter(([runId]) => !gone.has(runId)))
  const upTo = left.reduce((newest, { runId }) => (runId > newest ? runId : newest), forgotten.upTo ?? "")
  return { runs: { ...state, byId: stay, forgotten: { runs: forgotten.runs + left.length, upTo } }, left }
}

/** Evidence about a run's work before the first check, and again after the agent continues working. */
const UNVERIFIED: Verified = { commit: null, result: null }

function createdRun(event: EventOf<"run_created">): RunState {
  return {
    runId: event.run_id,
    kind: event.kind,
    title: event.title ?? "",
    agentId: event.agent_id,
    worktree: event.worktree ?? MAIN_WORKTREE,
    model: event.model,
    account: event.program?.account ?? null,
    status: "queued",
    generation: 0,
    executor: null,
    cancelReason: null,
    waitsFor: null,
    attempts: 1,
    relaunches: 0,
    doneSteps: [],
    progress: null,
    firstSeq: event.seq,
    lastSeq: null,
    createdAt: event.ts,
    startedAt: null,
    claimedAt: null,
    endedAt: null,
    progressSeq: null,
    milestoneSeq: null,
    verification: event.verify ? UNVERIFIED : null,
    launchedAt: event.ts,
    waitingReason: null,
  }
}

/** Change to a run that has made progress from which the next executor can continue. */
const farther = { attempts: 0, relaunches: 0 }

/** Change to a run that waits for its next launch. */
const queued = { status: "queued", waitingReason: null } as const

function runChange(run: RunState, event: LogEvent): Partial<RunState> | null | undefined {
  switch (event.type) {
    case "run_relaunched":
      return { ...queued, attempts: event.attempt, relaunches: run.relaunches + 1, launchedAt: event.ts }
    case "runner_awaited": {
      const waitingReason = event.phase === "waiting" ? (event.reason ?? null) : null
      if (run.launchedAt === null) return { waitingReason }
      // Waiting in a queue doesn't count as a failed launch, so `attempts` is reset.
      return { waitingReason, launchedAt: event.ts, ...(event.phase === "waiting" && { attempts: 0 }) }
    }
    case "run_claimed":
      return {
        status: "running",
        generation: event.generation,
        executor: event.executor,
        startedAt: run.startedAt ?? event.ts,
        claimedAt: event.ts,
      }
    case "run_handed_over":
      return { ...farther, ...queued, launchedAt: null }
    case "run_parked":
      return { status: "parked", waitsFor: event.waits_for ?? null }
    case "run_resumed":
      return { ...farther, ...queued, launchedAt: event.ts, waitsFor: null }
    case "run_cancel_requested":
      return { cancelReason: event.reason }
    case "provider_switched":
      return { account: event.to_account, model: `${event.to_provider}/${event.to_model ?? "default"}` }
    case "conversation_extended":
      return farther
    // Reset only `attempts`: the agent is working, but a successor may be unable to continue from here.
    case "question_asked":
    case "tool_call_started":
      return run.attempts > 0 && !("node" in event && event.node) ? { attempts: 0 } : undefined
    case "node_finished":
      return { ...farther, progress: progressAfter(run.progress, event) }
    case "workspace_committed":
      return event.step ? { ...farther, doneSteps: [...run.doneSteps, event.step] } : undefined
    case "progress":
      return { progressSeq: event.seq }
    case "milestone":
      return { milestoneSeq: event.seq }
    case "agent_turn_started":
      return run.verification && { verification: UNVERIFIED }
    case "verification_attempt":
      return run.verification && { verification: { commit: event.commit, result: event.result } }
    case "run_completed":
      return { status: "completed", ...endOf(event) }
    case "run_failed":
      return { status: "failed", ...endOf(event) }
    case "run_cancelled":
      return { status: "cancelled", ...endOf(event) }
    default:
      return undefined
  }
}

function endOf({ seq, ts }: LogEvent): Partial<RunState> {
  return { lastSeq: seq, endedAt: ts, doneSteps: [], waitsFor: null }
}

function progressAfter(before: RunState["progress"], event: EventOf<"node_finished">): RunState["progress"] {
  const steps = { stepsFinished: before?.step ?? 0, stepsTotal: before?.total ?? null }
  const { stepsFinished: step, stepsTotal: total } = stepsAfter(steps, event)
  return total === null ? null : { step, total }
}
