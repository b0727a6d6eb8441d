import type { EventOf, LogEvent } from "../../events.ts"
import { MAIN_WORKTREE } from "../../files/worktrees/names-schema.ts"
import type { Part } from "../../kernel/part.ts"
import type { SessionState } from "../../state.ts"
import type { Verdict } from "../gate/schema.ts"
import type { Verified } from "../verification/schema.ts"
import { type RunKind, usesWorktree } from "./kinds.ts"
import { stepsAfter } from "./progress.ts"
import type { RunStatus, WaitsFor } from "./schema.ts"

/** The part of a run that rules decide on. */
export interface RunState {
  runId: string
  kind: RunKind
  /** Its request, in a few words. */
  title: string
  agentId: string
  /** The name of the worktree that an agent works in. */
  worktree: string
  /** `provider/model`. */
  model: string
  /** The name of the account that an agent works on; null where it uses the server's own keys. */
  account: string | null
  status: RunStatus
  /** The newest claim; 0 before the first. */
  generation: number
  executor: string | null
  cancelReason: string | null
  /** Of a parked run: what wakes it. Null if only somebody can. */
  waitsFor: WaitsFor | null
  /** Launches since the run last got anywhere, the first one included. */
  attempts: number
  /** Launches again since it last got anywhere that a successor goes on from. */
  relaunches: number
  /** Steps that are finished, whatever a checkpoint says. Emptied when the run ends. */
  doneSteps: string[]
  /** Steps that it has told to be finished, of how many; null before it has planned. */
  progress: { step: number; total: number } | null
  firstSeq: number
  /** The event that ended the run. */
  lastSeq: number | null
  createdAt: string
  /** The first claim. */
  startedAt: string | null
  /** The newest claim. */
  claimedAt: string | null
  endedAt: string | null
  /** The newest event in which its agent says where it is. */
  progressSeq: number | null
  /** Its newest milestone. */
  milestoneSeq: number | null
  /** The newest evidence about its work; null for a run that isn't to be verified. */
  verification: Verified | null
  /** Since when a launch is under way; null when nobody was asked to start the run. */
  launchedAt: string | null
}

export interface RunsState {
  /** The active ones and the last that ended. Older ones are found in the session's partition of ended runs. */
  byId: { [runId: string]: RunState }
  /** Of the runs that left the state: how many, and the greatest id. */
  forgotten: { runs: number; upTo: string | null }
  /** The verdict of the last run that ended with one, except those about a single node of a team or with earlier tests. */
  verdict: Verdict | null
}

export const runsPart: Part<RunsState> = {
  version: 11,
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

/** The run of this id; an id may be any text that somebody sent. */
export function runOf({ runs }: SessionState, runId: string): RunState | undefined {
  return Object.hasOwn(runs.byId, runId) ? runs.byId[runId] : undefined
}

export function isEnded(run: RunState): boolean {
  return run.status === "completed" || run.status === "failed" || run.status === "cancelled"
}

/** The run that keeps others of the same agent from starting. */
export function activeRun(state: SessionState, agentId: string): RunState | undefined {
  return activeRuns(state).find((run) => run.agentId === agentId)
}

export function activeRuns({ runs }: SessionState): RunState[] {
  return Object.values(runs.byId).filter((run) => !isEnded(run))
}

/** The runs that a process works on, or is about to: not those that are parked. */
export function liveRuns(state: SessionState): RunState[] {
  return activeRuns(state).filter(({ status }) => status !== "parked")
}

/** The run in which an agent is at work now, and hears what people say to it. */
export function runningAgent(state: SessionState, agentId: string): RunState | undefined {
  const run = activeRun(state, agentId)
  return run && usesWorktree(run) && run.status === "running" ? run : undefined
}

/** The run at work in a worktree, or about to be: nobody else may change it meanwhile. */
export function runInWorktree(state: SessionState, worktree: string = MAIN_WORKTREE): RunState | undefined {
  return activeRuns(state).find((run) => usesWorktree(run) && run.worktree === worktree)
}

/** The same, once a runner executes it. */
export function runningInWorktree(state: SessionState, worktree: string = MAIN_WORKTREE): RunState | undefined {
  return activeRuns(state).find((run) => usesWorktree(run) && run.worktree === worktree && run.status === "running")
}

/** So many ended runs stay in the state: enough for whoever was about to look at one. */
export const MAX_ENDED_RUNS = 50

/** The runs without the ended ones that are older than the last fifty, and those: to be stored before the state is. */
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

/** Before the first evidence, and again as soon as the agent goes on. */
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
  }
}

/** The change of a run that got somewhere, from where its next executor goes on. */
const farther = { attempts: 0, relaunches: 0 }

function runChange(run: RunState, event: LogEvent): Partial<RunState> | null | undefined {
  switch (event.type) {
    case "run_relaunched":
      return { attempts: event.attempt, relaunches: run.relaunches + 1, status: "queued", launchedAt: event.ts }
    case "runner_awaited":
      if (run.launchedAt === null) return undefined
      // Nothing has failed while it waits its turn.
      return { launchedAt: event.ts, ...(event.phase === "waiting" && { attempts: 0 }) }
    case "run_claimed":
      return {
        status: "running",
        generation: event.generation,
        executor: event.executor,
        startedAt: run.startedAt ?? event.ts,
        claimedAt: event.ts,
      }
    case "run_handed_over":
      return { ...farther, status: "queued", launchedAt: null }
    case "run_parked":
      return { status: "parked", waitsFor: event.waits_for ?? null }
    case "run_resumed":
      return { ...farther, status: "queued", launchedAt: event.ts, waitsFor: null }
    case "run_cancel_requested":
      return { cancelReason: event.reason }
    case "provider_switched":
      return { account: event.to_account, model: `${event.to_provider}/${event.to_model ?? "default"}` }
    case "conversation_extended":
      return farther
    // Of an agent at work: nobody but itself knows how far it is, and whether a successor goes on from there.
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
