import { cliTitle } from "../agents/clis/titles.ts"
import { namedAgent } from "../agents/conversations/state.ts"
import { type ChangeSize, worktreeOf } from "../files/worktrees/state.ts"
import type { SessionHandle } from "../kernel/session-handle.ts"
import { totalOfRows } from "../people/usage/report.ts"
import type { SessionState } from "../state.ts"
import { isTask, type RunKind, runKinds } from "../work/runs/kinds.ts"
import { activeRuns, type RunState } from "../work/runs/state.ts"
import type { TeamState } from "../work/teams/state.ts"
import { spentInSession } from "../work/usage/state.ts"
import { boardColumn } from "./board-column.ts"
import type { Session, SessionRun, SessionStatus } from "./schema.ts"
import { sessionName } from "./session-name.ts"

const KINDS = {
  workflow: "build",
  agent: "agent",
  check: "build",
  chat: "chat",
  train: "agent",
  team: "team",
  work_node: "team",
  shell_command: "team",
  page: "chat",
  rewind: "chat",
  fork: "chat",
  chat_files: "chat",
  login: "agent",
} satisfies Record<RunKind, Session["kind"]>

/** Returns a session as shown in the API. */
export function toSession(found: SessionHandle, { retentionMs }: { retentionMs: number }): Session {
  const { sessionId, state, touchedAt } = found
  const runs = Object.values(state.runs.byId).sort((a, b) => a.firstSeq - b.firstSeq)
  const [active] = activeRuns(state)
  const last = runs.findLast((run) => !runKinds[run.kind].isSupporting && !isOfTeam(state, run)) ?? runs.at(-1)
  const task = runs.findLast(isTask)
  const paused = activeRuns(state).filter(isPaused)
  const { exists, hasChanges, saving } = worktreeOf(state)
  const status = state.questions.waiting.length > 0 ? "needs_input" : statusOf(active, last, state)
  const [question] = state.questions.waiting
  const { seq: firstSeq = 1, ts: createdAt = "" } = state.session.since ?? {}
  return {
    id: sessionId,
    name: sessionName(state),
    pinned: state.session.pinned,
    archived: state.session.archived ?? false,
    column: boardColumn(state, status),
    kind: KINDS[last?.kind ?? "workflow"],
    status,
    open_questions: state.questions.waiting.length,
    question: question ? { question_id: question.questionId, title: question.title ?? "A question" } : null,
    active: active !== undefined,
    paused: paused.length > 0,
    resumable: paused.length > 0 || (active === undefined && last !== undefined && canGoOn(last)),
    waits_until: paused.flatMap(({ waitsFor }) => waitsFor?.until ?? []).sort()[0] ?? null,
    created_at: createdAt,
    last_activity: state.changedAt ?? createdAt,
    expires_at: new Date(touchedAt + retentionMs).toISOString(),
    first_seq: firstSeq,
    latest_seq: state.head,
    workspace_version: state.workspace.version,
    file_count: state.workspace.files,
    active_run: active ? toSessionRun(active) : null,
    last_run: last ? toSessionRun(last) : null,
    repository: state.session.repository,
    project_path: state.session.repository,
    task_description: task?.title ?? null,
    coding_account: task?.account ?? null,
    agent: task ? programTitle(state, task.agentId) : null,
    checks: checksOf(state, last),
    cost_usd: totalOfRows([...spentInSession(state.usage).rows]).cost_usd,
    changes: changesIn(state),
    has_worktree: exists,
    has_changes: hasChanges,
    unmerged_worktrees: Object.entries(state.worktrees.byName).flatMap(([name, worktree]) =>
      worktree.exists && worktree.hasChanges ? [name] : [],
    ),
    ...(saving && { saving }),
    progress: active?.progress ?? null,
    picture: state.preview.picture,
  }
}

/** Returns the title of an agent's program, such as `Claude Code`. Null if the agent has no program. */
function programTitle(state: SessionState, agentId: string): string | null {
  const cli = namedAgent(state, agentId)?.program?.cli
  return cli ? cliTitle(cli) : null
}

function checksOf({ runs: { verdict } }: SessionState, last: RunState | undefined): Session["checks"] {
  const result = last?.verification?.result
  if (last?.verification) return result === "passed" || result === "failed" ? result : "not_run"
  return verdict?.status ?? "not_run"
}

/** Returns the total size of the changes in all worktrees. Null if no runner has reported any. */
function changesIn({ worktrees }: SessionState): Session["changes"] {
  const sizes = Object.values(worktrees.byName).flatMap(({ exists, size }) => (exists && size ? [size] : []))
  if (sizes.length === 0) return null
  const sum = (of: (size: ChangeSize) => number) => sizes.reduce((total, size) => total + of(size), 0)
  return {
    files: sum(({ files }) => files),
    additions: sum((size) => size.additions),
    deletions: sum((size) => size.deletions),
  }
}

/**
 * True if the run belongs to a program that works in the session's team or coordinates it. The session then shows the
 * team's own run as its last run instead.
 */
function isOfTeam({ team }: Pick<SessionState, "team">, { runId, agentId, kind }: RunState): boolean {
  if (!team || !isTask({ kind })) return false
  const isNodes = Object.values(team.nodes).some(({ runs }) => runs.some((run) => run.runId === runId))
  return isNodes || team.coordinator?.agentId === agentId
}

function statusOf(
  active: RunState | undefined,
  last: RunState | undefined,
  { team }: Pick<SessionState, "team">,
): SessionStatus {
  if (active && isAsleep(active)) return "idle"
  if (active?.status === "parked" && active.runId === team?.runId && isContent(team)) return "idle"
  if (active && isPaused(active) && active.waitsFor?.until !== undefined) return "waiting"
  // A run that waits for another run doesn't need a person.
  if (active) return active.status === "parked" && active.waitsFor?.run === undefined ? "needs_input" : "busy"
  if (last?.status === "completed") return "done"
  return last?.status === "failed" ? "error" : "idle"
}

/** True if the run waits for a certain time, or for a person to resume it. */
export function isPaused(run: RunState): boolean {
  const { status, waitsFor } = run
  if (isAsleep(run)) return false
  return status === "parked" && (waitsFor === null || (waitsFor.until !== undefined && waitsFor.run === undefined))
}

/** True if a team's run waits for its triggers, and therefore doesn't need a person. */
function isAsleep({ kind, status, waitsFor }: RunState): boolean {
  return kind === "team" && status === "parked" && waitsFor?.until !== undefined && waitsFor.run === undefined
}

/** True for a team that remains after it has reached its goal. Such a team accepts messages but doesn't need any. */
function isContent({ mode, halted, nodes }: TeamState): boolean {
  const all = Object.values(nodes)
  return mode === "infinite" && !halted && all.length > 0 && all.every(({ status }) => status === "completed")
}

/**
 * True if the run can be continued: an agent's conversation with another task, or a build from the point where it
 * failed or was stopped.
 */
function canGoOn(run: RunState): boolean {
  return isTask(run) || (runKinds[run.kind].isContinuable && run.status !== "completed")
}

function toSessionRun(run: RunState): SessionRun {
  return {
    run_id: run.runId,
    kind: run.kind,
    status: run.status,
    cancel_requested: run.cancelReason !== null,
    model: run.model,
    prompt: run.title,
    created_at: run.createdAt,
    first_seq: run.firstSeq,
    last_seq: run.lastSeq,
  }
}
