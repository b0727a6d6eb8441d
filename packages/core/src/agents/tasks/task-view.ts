import { AppError } from "../../errors.ts"
import type { LogEvent } from "../../events.ts"
import { readHistory } from "../../kernel/history.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import { hydrateEvent } from "../../log/payload.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import { findRun, forgottenRuns } from "../../work/runs/ended-runs.ts"
import { isTask } from "../../work/runs/kinds.ts"
import type { RunState } from "../../work/runs/state.ts"
import { AgentInput } from "../conversations/schema.ts"
import type { Conversation, ConversationItem, Milestone, TaskState, TaskStatus } from "./schema.ts"

interface Deps {
  log: Log
  blobs: Blobs
  records: Records
}

const STATES = {
  queued: "pending",
  running: "running",
  parked: "running",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
} satisfies Record<RunState["status"], TaskState>

/** Returns the agent run with this ID. Throws `run_not_found` if the session has no such run. */
export async function findTask(
  { records }: Deps,
  session: SessionHandle,
  taskId: string,
  options: { signal: AbortSignal },
): Promise<RunState> {
  const run = await findRun(records, session, taskId, options)
  if (run && isTask(run)) return run
  throw new AppError("run_not_found", "This session has no task with this id.", { task_id: taskId.slice(0, 100) })
}

/** Returns a task as shown in the API, with the agent's latest report. */
export async function describeTask(
  deps: Deps,
  session: SessionHandle,
  run: RunState,
  options: { signal: AbortSignal },
): Promise<TaskStatus> {
  const [progress, milestone, end] = await Promise.all(
    [run.progressSeq, run.milestoneSeq, run.lastSeq].map((seq) => eventAt(deps, session, seq, options)),
  )
  return {
    task_id: run.runId,
    session_id: session.sessionId,
    agent_id: run.agentId,
    worktree: run.worktree,
    status: STATES[run.status],
    progress: progress?.type === "progress" ? progress.summary : null,
    result: resultOf(end) ?? (milestone?.type === "milestone" ? milestone.summary : null),
    warning: end?.type === "run_completed" ? (end.warning ?? null) : null,
    started_at: run.startedAt,
    completed_at: run.endedAt,
  }
}

/** Returns the milestones of all tasks after `since`. */
export async function readMilestones(
  deps: Deps,
  session: SessionHandle,
  since: number,
  options: { signal: AbortSignal },
): Promise<Milestone[]> {
  const milestones: Milestone[] = []
  for await (const event of readHistory(deps, session, "milestones", { since, ...options })) {
    const { seq, milestone_type, title, summary, details } = event
    milestones.push({ seq, milestone_type, title, summary, details })
  }
  return milestones
}

/**
 * Returns the conversation of the newest task, or of one agent's newest task, after `since`. Throws `run_not_found` if
 * there is no such task.
 */
export async function readConversation(
  deps: Deps,
  session: SessionHandle,
  { since, agentId, ...options }: { since: number; agentId?: string; signal: AbortSignal },
): Promise<Conversation> {
  const run = await newestTask(deps, session, { agentId, ...options })
  if (!run) throw new AppError("run_not_found", "This session has no such task yet.")
  const created = await eventAt(deps, session, run.firstSeq, options)
  if (created?.type !== "run_created") throw new AppError("internal_error", "The task's first event is missing.")
  const { task, repository, cli, account, model } = AgentInput.parse(created.input)
  const items: ConversationItem[] = []
  const from = Math.max(since, run.firstSeq - 1)
  for await (const event of readHistory(deps, session, "messages", { since: from, ...options })) {
    if (run.lastSeq !== null && event.seq > run.lastSeq) break
    if (event.run_id === run.runId) items.push(...itemOf(await hydrateEvent(deps.blobs, event, options)))
  }
  return {
    session_id: session.sessionId,
    task: {
      ...{ seq: run.firstSeq, task_id: run.runId, task_description: task, project_path: repository },
      ...{ coding_provider: cli, coding_account: account, coding_model: model },
    },
    items,
    latest_seq: session.state.head,
  }
}

async function newestTask(
  { records }: Deps,
  session: SessionHandle,
  { agentId, ...options }: { agentId: string | undefined; signal: AbortSignal },
): Promise<RunState | undefined> {
  const isMeant = (run: RunState) => isTask(run) && (agentId === undefined || run.agentId === agentId)
  const kept = Object.values(session.state.runs.byId).sort((a, b) => b.firstSeq - a.firstSeq)
  const newest = kept.find(isMeant)
  if (newest) return newest
  for await (const run of forgottenRuns(records, session, options)) if (isMeant(run)) return run
  return undefined
}

/**
 * Returns the message of the failure or cancellation that ended a run. It is more informative than the last milestone.
 */
function resultOf(end: LogEvent | undefined): string | undefined {
  if (end?.type === "run_failed") return end.message
  return end?.type === "run_cancelled" ? `Cancelled: ${end.reason}` : undefined
}

function itemOf(event: LogEvent): ConversationItem[] {
  const { seq, ts } = event
  if (event.type === "user_message" && typeof event.content === "string") {
    return [{ seq, ts, type: "user", content: event.content }]
  }
  if (event.type === "assistant_message" && Array.isArray(event.blocks)) {
    return [{ seq, ts, type: "assistant", blocks: event.blocks }]
  }
  if (event.type !== "milestone") return []
  const { milestone_type, title, summary } = event
  return [{ seq, ts, type: "milestone", milestone_type, title, summary }]
}

async function eventAt(
  { log, blobs }: Deps,
  { sid }: SessionHandle,
  seq: number | null,
  options: { signal: AbortSignal },
): Promise<LogEvent | undefined> {
  if (seq === null) return undefined
  for await (const event of log.read(logName(sid), seq - 1, options)) return hydrateEvent(blobs, event, options)
  return undefined
}
