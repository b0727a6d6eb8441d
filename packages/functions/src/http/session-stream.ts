import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import { isOutOfReach, reach } from "@switchyard/core/sessions/event-page"
import { followSession } from "@switchyard/core/sessions/follow"
import { followMerged, type Merged, type MergedCursor } from "@switchyard/core/sessions/merged-stream"
import type { EventFrame } from "@switchyard/core/work/runs/run-events"
import { endsRun } from "@switchyard/core/work/runs/schema"
import { isEnded, type RunState } from "@switchyard/core/work/runs/state"
import type { AppDeps } from "../deps.ts"
import { frameData } from "./terminal-stream.ts"

export interface Included {
  events: boolean
  terminal: boolean
  /** Ends with the end of this run, and says how it ended. */
  task: RunState | undefined
}

/** True if the task's end lies behind a reader at `seq`. A browser comes back for ever unless it is answered 204. */
export function isTaskToldWhole({ state }: SessionHandle, { task }: Pick<Included, "task">, seq: number): boolean {
  return task !== undefined && isEnded(task) && (task.lastSeq ?? 0) <= seq && !isOutOfReach(state, seq)
}

/** The frames of a session's stream after the cursor. That it was deleted is told to everyone. */
export async function* toldSession(
  deps: AppDeps,
  session: SessionHandle,
  cursor: MergedCursor,
  { include, signal }: { include: Included; signal: AbortSignal },
): AsyncGenerator<EventFrame> {
  const { task } = include
  if (task && isTaskToldWhole(session, include, cursor.seq)) {
    yield complete(String(cursor.seq), task, `run_${task.status}`, task.lastSeq ?? 0)
    return
  }
  for await (const told of sourceOf(deps, session, cursor, include, signal)) {
    if (told === "resync") {
      const { first, head } = reach(session.state)
      yield { event: "resync", data: { since_seq: cursor.seq, first_seq: first, latest_seq: head } }
    } else if (told === "quiet") {
      yield told
    } else if ("event" in told) {
      const { event } = told
      if (include.events || event.type === "session_deleted") yield { id: told.id, event: "event", data: event }
      if (!task || event.run_id !== task.runId || !endsRun(event)) continue
      yield complete(told.id, task, event.type, event.seq)
      return
    } else {
      yield { id: told.id, event: "terminal", data: terminalData(told) }
    }
  }
}

async function* sourceOf(
  deps: AppDeps,
  session: SessionHandle,
  cursor: MergedCursor,
  include: Included,
  signal: AbortSignal,
): AsyncGenerator<Merged> {
  if (include.terminal) {
    yield* followMerged(deps, session, cursor, { signal })
    return
  }
  for await (const told of followSession(deps, session, cursor.seq, { signal })) {
    yield typeof told === "string" ? told : { id: String(told.seq), event: told }
  }
}

/** A terminal's news in one shape: bytes to draw, in base64, or a whole screen as text. A picture begins anew. */
export function terminalData(told: Extract<Merged, { pty: string }>) {
  const [seq] = told.id.split(".")
  const common = { pty: told.pty, seq: Number(seq) }
  if ("screen" in told) return { ...common, type: "screen", text: true, has_ansi: false, data: told.screen }
  const { frame } = told
  const { data = "", screen, ...rest } = { data: undefined, screen: undefined, ...frameData(frame) }
  const bytes = screen === undefined ? data : Buffer.from(screen).toString("base64")
  return { ...common, type: frame.type, text: false, has_ansi: true, data: bytes, ...rest }
}

/** With an id, for a reader who left out the events has no other that lies at the task's end. */
function complete(id: string, { runId }: RunState, type: string, seq: number): EventFrame {
  return { id, event: "complete", data: completion(runId, type, seq) }
}

/** The end of a task, as a program's exit code. */
export function completion(taskId: string, type: string, seq: number) {
  const status = type.slice("run_".length)
  const exit_code = status === "completed" ? 0 : status === "cancelled" ? -1 : 1
  return { task_id: taskId, status, exit_code, seq }
}
