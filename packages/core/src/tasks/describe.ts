import { AgentInput } from "../agents/schema.ts"
import { AppError } from "../errors.ts"
import type { Log } from "../events/log.ts"
import { wholeEvent } from "../events/payload.ts"
import type { EventType, LogEvent } from "../events/schema.ts"
import { logName } from "../sessions/keys.ts"
import type { FoundSession } from "../sessions/listing.ts"
import { type RunState, runOf } from "../sessions/state.ts"
import type { Blobs } from "../storage/blobs.ts"
import type { Conversation, ConversationItem, Milestone, TaskState, TaskStatus } from "./schema.ts"

interface Deps {
  log: Log
  blobs: Blobs
}

const STATES = {
  queued: "pending",
  running: "running",
  parked: "running",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
} satisfies Record<RunState["status"], TaskState>

/** The agent's run of this id. Throws `run_not_found` for whatever is none of this session's. */
export function taskOf({ state }: FoundSession, taskId: string): RunState {
  const run = runOf(state, taskId)
  if (run?.kind === "agent") return run
  throw new AppError("run_not_found", "There is no such task in this session.", { task_id: taskId.slice(0, 100) })
}

/** A task as the API shows it, with what its agent last said of itself. */
export async function describeTask(
  deps: Deps,
  session: FoundSession,
  run: RunState,
  options: { signal: AbortSignal },
): Promise<TaskStatus> {
  let progress: string | null = null
  let result: string | null = null
  let startedAt: string | null = null
  let completedAt: string | null = null
  for await (const event of eventsOf(deps, session, run, TOLD, run.firstSeq - 1, options)) {
    if (event.type === "run_claimed") startedAt ??= event.ts
    if (event.type === "progress") progress = event.summary
    if (event.type === "milestone") result = event.summary
    if (event.type === "run_failed") result = event.message
    if (event.type === "run_cancelled") result = `Cancelled: ${event.reason}`
    if (event.seq === run.lastSeq) completedAt = event.ts
  }
  return {
    task_id: run.runId,
    session_id: session.sessionId,
    status: STATES[run.status],
    ...{ progress, result, started_at: startedAt, completed_at: completedAt },
  }
}

/** Milestones after `since`, of all tasks. */
export async function readMilestones(
  deps: Deps,
  session: FoundSession,
  since: number,
  options: { signal: AbortSignal },
): Promise<Milestone[]> {
  const milestones: Milestone[] = []
  const from = Math.max(since, (session.state.since?.seq ?? 1) - 1)
  for await (const event of deps.log.read(logName(session.sid), from, options)) {
    if (event.type !== "milestone") continue
    const { seq, milestone_type, title, summary, details } = event
    milestones.push({ seq, milestone_type, title, summary, details })
  }
  return milestones
}

/** What was said in the session's newest task, after `since`. Throws `run_not_found` where there never was one. */
export async function readConversation(
  deps: Deps,
  session: FoundSession,
  since: number,
  options: { signal: AbortSignal },
): Promise<Conversation> {
  const tasks = Object.values(session.state.runs).filter(({ kind }) => kind === "agent")
  const run = tasks.sort((a, b) => a.firstSeq - b.firstSeq).at(-1)
  if (!run) throw new AppError("run_not_found", "There was no task in this session yet.")
  const created = await firstOf(eventsOf(deps, session, run, ["run_created"], run.firstSeq - 1, options))
  if (created?.type !== "run_created") throw new AppError("internal_error", "The task has no beginning.")
  const { task, repository, cli, account, model } = AgentInput.parse(created.input)
  const items: ConversationItem[] = []
  const said = eventsOf(deps, session, run, SAID, Math.max(since, run.firstSeq - 1), options)
  for await (const event of said) items.push(...itemOf(event))
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

const TOLD: EventType[] = ["run_claimed", "progress", "milestone", "run_completed", "run_failed", "run_cancelled"]
const SAID: EventType[] = ["user_message", "assistant_message", "milestone"]

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

/** The run's events of these types, whole, as far as the session was seen. */
async function* eventsOf(
  { log, blobs }: Deps,
  { sid, state }: FoundSession,
  run: RunState,
  types: EventType[],
  since: number,
  options: { signal: AbortSignal },
): AsyncGenerator<LogEvent> {
  const last = run.lastSeq ?? state.head
  if (since >= last) return
  for await (const event of log.read(logName(sid), since, options)) {
    if (event.seq > last) return
    if (event.run_id === run.runId && types.includes(event.type)) yield await wholeEvent(blobs, event, options)
  }
}

async function firstOf<T>(source: AsyncIterable<T>): Promise<T | undefined> {
  for await (const first of source) return first
  return undefined
}
