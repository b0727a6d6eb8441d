import type { EventOf, LogEvent, SessionEvent } from "../events.ts"
import type { RunStatus } from "../runs/schema.ts"
import type { HeldDeletions, Saving } from "../worktrees/schema.ts"

/** What the rules need to know of a run. */
export interface RunState {
  runId: string
  kind: "workflow" | "agent"
  /** What it was asked, in a few words. */
  title: string
  agentId: string
  /** `provider/model`. */
  model: string
  status: RunStatus
  /** The newest claim; 0 before the first. */
  generation: number
  executor: string | null
  cancelReason: string | null
  /** Launches since the run last got anywhere, the first one included. */
  attempts: number
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
  endedAt: string | null
  /** The newest event in which its agent says where it is. */
  progressSeq: number | null
  /** Its newest milestone. */
  milestoneSeq: number | null
  /** Since when a launch is under way; null when nobody was asked to start the run. */
  launchedAt: string | null
}

/** A session as its log tells it. A fold: never changed but by an event. */
export interface SessionState {
  head: number
  /** How often the session was opened; files of one incarnation never meet those of another. 0: never opened. */
  incarnation: number
  deleted: boolean
  /** The event that opened or deleted the session: nothing before it matters any more. */
  since: { seq: number; ts: string } | null
  /** As its owner calls it. */
  name: string | null
  /** What its first run was asked, in a few words. */
  title: string | null
  /** When something last happened. */
  changedAt: string | null
  /** `files`: how many; null where nobody counted them. */
  workspace: { version: number; manifest: string | null; files: number | null }
  /** The active ones and the last that ended. Older ones are found in the session's partition of ended runs. */
  runs: { [runId: string]: RunState }
  /** Of the runs that left the state: how many, and the greatest id. */
  forgotten: { runs: number; upTo: string | null }
  runner: RunnerState
  /** What its agents work in; null for the session's own workspace. */
  repository: string | null
  worktree: WorktreeState
}

/** The session's worktree, as far as a runner told of it. */
export interface WorktreeState {
  /** Commands that nobody has answered yet, by their id. */
  pending: { [commandId: string]: PendingCommand }
  /** The newest run of an agent, be it over or not. */
  lastRun: { runId: string; seq: number } | null
  /** The newest event that tells how it is. */
  toldSeq: number | null
  /** The newest event that says what was saved of it. */
  savedSeq: number | null
  exists: boolean
  hasChanges: boolean
  /** Files that are gone from the worktree and wait for somebody to confirm that they should go from the session, too. */
  heldDeletions: HeldDeletions | null
  /** Files of it that are being saved among the session's; null while none are. */
  saving: Saving | null
  /** Runners that came since then without any of them having saved a file. */
  savingStarts: number
}

/** A command to the worktree, or a question about it, that waits for its answer. */
export interface PendingCommand {
  /** The event that asked. */
  seq: number
  askedAt: string
  /** Whether it is a command: a question changes nothing. */
  changes: boolean
  /** The runner that began to carry it out. */
  started: { generation: number; at: string } | null
}

/** Who serves the session's terminals. */
export interface RunnerState {
  /** The newest claim; 0 before the first. It names the inbox that a runner reads. */
  generation: number
  /** Null while there is none. */
  executor: string | null
  /** Terminals that were opened and not closed, by this runner or by one that died. */
  terminals: string[]
}

export const emptySession: SessionState = {
  head: 0,
  incarnation: 0,
  deleted: false,
  since: null,
  name: null,
  title: null,
  changedAt: null,
  workspace: { version: 0, manifest: null, files: 0 },
  runs: {},
  forgotten: { runs: 0, upTo: null },
  runner: { generation: 0, executor: null, terminals: [] },
  repository: null,
  worktree: {
    ...{ pending: {}, lastRun: null, toldSeq: null, savedSeq: null, exists: false, hasChanges: false },
    ...{ heldDeletions: null, saving: null, savingStarts: 0 },
  },
}

/** The state after one more event. Types that say nothing to the rules only move the head. */
export function applyEvent(state: SessionState, event: LogEvent): SessionState {
  return { ...state, ...changesBy(state, event), head: event.seq, changedAt: event.ts }
}

export function isLive(state: SessionState): boolean {
  return state.incarnation > 0 && !state.deleted
}

/** The run of this id; an id may be any text that somebody sent. */
export function runOf(state: SessionState, runId: string): RunState | undefined {
  return Object.hasOwn(state.runs, runId) ? state.runs[runId] : undefined
}

export function isEnded(run: RunState): boolean {
  return run.status === "completed" || run.status === "failed" || run.status === "cancelled"
}

/** So many ended runs stay in the state: enough for whoever was about to look at one. */
export const ENDED_RUNS_KEPT = 50

/**
 * The state without the ended runs that are older than the last fifty, and those runs. They must be stored before the
 * state that is without them is.
 */
export function forgetRuns(state: SessionState): { state: SessionState; forgotten: RunState[] } {
  const ended = Object.values(state.runs).filter(isEnded)
  if (ended.length <= ENDED_RUNS_KEPT) return { state, forgotten: [] }
  const forgotten = ended.sort((a, b) => (a.lastSeq ?? 0) - (b.lastSeq ?? 0)).slice(0, -ENDED_RUNS_KEPT)
  const gone = new Set(forgotten.map(({ runId }) => runId))
  const runs = Object.fromEntries(Object.entries(state.runs).filter(([runId]) => !gone.has(runId)))
  const upTo = forgotten.reduce((newest, { runId }) => (runId > newest ? runId : newest), state.forgotten.upTo ?? "")
  return { state: { ...state, runs, forgotten: { runs: state.forgotten.runs + forgotten.length, upTo } }, forgotten }
}

/** The run that keeps others of the same agent from starting. */
export function activeRun(state: SessionState, agentId: string): RunState | undefined {
  return activeRuns(state).find((run) => run.agentId === agentId)
}

export function activeRuns(state: SessionState): RunState[] {
  return Object.values(state.runs).filter((run) => !isEnded(run))
}

function changesBy(state: SessionState, event: LogEvent): Partial<SessionState> {
  switch (event.type) {
    case "session_opened":
      return { ...fresh(event), name: event.name ?? null, repository: event.repository ?? null, deleted: false }
    case "session_deleted":
      return { ...fresh(event), deleted: true }
    case "workspace_committed":
      return {
        workspace: { version: event.version, manifest: event.manifest, files: event.file_count ?? null },
        runs: event.step && event.run_id ? withStep(state, event.run_id, event.step) : state.runs,
      }
    case "runner_claimed":
      return { runner: runnerAfter(state.runner, event), worktree: worktreeAfter(state.worktree, event) }
    case "runner_parked":
    case "terminal_opened":
    case "terminal_closed":
      return { runner: runnerAfter(state.runner, event) }
    case "worktree_command_requested":
    case "worktree_command_started":
    case "worktree_command_expired":
    case "worktree_command_finished":
    case "worktree_changed":
    case "project_saved":
    case "deletions_held":
    case "deletions_settled":
    case "workspace_save_progressed":
      return { worktree: worktreeAfter(state.worktree, event) }
    case "run_created":
      return {
        runs: runsAfter(state, event, event.run_id),
        title: state.title ?? event.title ?? "",
        repository: event.repository ?? state.repository,
        worktree: event.kind === "agent" ? withRun(state.worktree, event) : state.worktree,
      }
    default:
      return event.run_id ? { runs: runsAfter(state, event, event.run_id) } : {}
  }
}

type RunnerEvent = EventOf<"runner_claimed" | "runner_parked" | "terminal_opened" | "terminal_closed">

function runnerAfter(runner: RunnerState, event: RunnerEvent): RunnerState {
  switch (event.type) {
    case "runner_claimed":
      return { ...runner, generation: event.generation, executor: event.executor }
    case "runner_parked":
      return event.generation === runner.generation ? { ...runner, executor: null } : runner
    case "terminal_opened":
      return { ...runner, terminals: [...runner.terminals, event.pty] }
    case "terminal_closed":
      return { ...runner, terminals: runner.terminals.filter((pty) => pty !== event.pty) }
  }
}

type WorktreeEvent = EventOf<
  | "runner_claimed"
  | "worktree_command_requested"
  | "worktree_command_started"
  | "worktree_command_expired"
  | "worktree_command_finished"
  | "worktree_changed"
  | "project_saved"
  | "deletions_held"
  | "deletions_settled"
  | "workspace_save_progressed"
>

function worktreeAfter(worktree: WorktreeState, event: WorktreeEvent): WorktreeState {
  switch (event.type) {
    case "runner_claimed":
      return worktree.saving === null ? worktree : { ...worktree, savingStarts: worktree.savingStarts + 1 }
    case "worktree_command_requested": {
      // A command that is large enough to lie in a blob is no question.
      const changes = !("question" in event.command)
      const command = { seq: event.seq, askedAt: event.ts, changes, started: null }
      return { ...worktree, pending: { ...worktree.pending, [event.command_id]: command } }
    }
    case "worktree_command_started": {
      const command = worktree.pending[event.command_id]
      if (!command) return worktree
      const started = { generation: event.generation, at: event.ts }
      return { ...worktree, pending: { ...worktree.pending, [event.command_id]: { ...command, started } } }
    }
    case "worktree_command_expired":
    case "worktree_command_finished": {
      const { [event.command_id]: _, ...pending } = worktree.pending
      return { ...worktree, pending }
    }
    case "worktree_changed": {
      const { exists, has_changes } = event.status
      return { ...worktree, toldSeq: event.seq, exists, hasChanges: has_changes }
    }
    case "project_saved":
      return { ...worktree, savedSeq: event.seq }
    case "deletions_held":
      return { ...worktree, heldDeletions: { count: event.count, paths: event.paths } }
    case "deletions_settled":
      return { ...worktree, heldDeletions: null }
    case "workspace_save_progressed": {
      const { saved, total } = event
      const saving = saved < total ? { saved, total } : null
      return { ...worktree, saving, savingStarts: saving === null || saved > 0 ? 0 : worktree.savingStarts }
    }
  }
}

function withRun(worktree: WorktreeState, { run_id: runId, seq }: EventOf<"run_created">): WorktreeState {
  return { ...worktree, lastRun: { runId, seq } }
}

function fresh({ incarnation, seq, ts }: { incarnation: number; seq: number; ts: string }) {
  const { name, title, workspace, runs, forgotten, repository, worktree } = emptySession
  return { incarnation, since: { seq, ts }, name, title, workspace, runs, forgotten, repository, worktree }
}

function withStep(state: SessionState, runId: string, step: string): SessionState["runs"] {
  const run = state.runs[runId]
  if (!run) return state.runs
  return { ...state.runs, [runId]: { ...run, attempts: 0, doneSteps: [...run.doneSteps, step] } }
}

function runsAfter(state: SessionState, event: LogEvent, runId: string): SessionState["runs"] {
  if (event.type === "run_created") return { ...state.runs, [runId]: createdRun(event) }
  const run = state.runs[runId]
  const change = run && runChange(run, event)
  return change ? { ...state.runs, [runId]: { ...run, ...change } } : state.runs
}

function createdRun(event: Extract<SessionEvent, { type: "run_created" }> & LogEvent): RunState {
  return {
    runId: event.run_id,
    kind: event.kind,
    title: event.title ?? "",
    agentId: event.agent_id,
    model: event.model,
    status: "queued",
    generation: 0,
    executor: null,
    cancelReason: null,
    attempts: 1,
    doneSteps: [],
    progress: null,
    firstSeq: event.seq,
    lastSeq: null,
    createdAt: event.ts,
    startedAt: null,
    endedAt: null,
    progressSeq: null,
    milestoneSeq: null,
    launchedAt: event.ts,
  }
}

function runChange(run: RunState, event: LogEvent): Partial<RunState> | undefined {
  switch (event.type) {
    case "run_relaunched":
      return { attempts: event.attempt, status: "queued", launchedAt: event.ts }
    case "runner_awaited":
      return run.launchedAt === null ? undefined : { launchedAt: event.ts }
    case "run_claimed":
      return {
        status: "running",
        generation: event.generation,
        executor: event.executor,
        startedAt: run.startedAt ?? event.ts,
      }
    case "run_handed_over":
      return { status: "queued", attempts: 0, launchedAt: null }
    case "run_parked":
      return { status: "parked" }
    case "run_resumed":
      return { status: "queued", attempts: 0, launchedAt: event.ts }
    case "run_cancel_requested":
      return { cancelReason: event.reason }
    case "node_finished":
      return { attempts: 0, progress: progressOf(event) ?? run.progress }
    case "progress":
      return { progressSeq: event.seq }
    case "milestone":
      return { milestoneSeq: event.seq }
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
  return { lastSeq: seq, endedAt: ts, doneSteps: [] }
}

function progressOf({ update }: EventOf<"node_finished">): RunState["progress"] {
  if (!("total_steps" in update) || update.total_steps === undefined) return null
  return { step: update.current_step_idx ?? 0, total: update.total_steps }
}
