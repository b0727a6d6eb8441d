import type { ViewerDeps } from "@switchyard/core/agents/runner/viewers"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import { isOutOfRange, seqRange } from "@switchyard/core/sessions/events/event-page"
import { followSession } from "@switchyard/core/sessions/events/follow-session"
import { followMerged, type MergedCursor, type MergedFrame } from "@switchyard/core/sessions/events/merged-stream"
import type { EventFrame } from "@switchyard/core/work/runs/run-events"
import { endsRun } from "@switchyard/core/work/runs/schema"
import { isEnded, type RunState } from "@switchyard/core/work/runs/state"
import { frameData } from "./terminal-stream.ts"

/** Parts of a session stream that the client asked for. */
export interface StreamSelection {
  events: boolean
  terminal: boolean
  /** Run to follow. If set, the stream ends when this run ends, and the last event contains the run's result. */
  task: RunState | undefined
}

/**
 * True if a client at `seq` has already received the task's end. The response must then be 204, because a browser would
 * otherwise keep reconnecting.
 */
export function hasWholeTask({ state }: SessionHandle, { task }: Pick<StreamSelection, "task">, seq: number): boolean {
  return task !== undefined && isEnded(task) && (task.lastSeq ?? 0) <= seq && !isOutOfRange(state, seq)
}

/**
 * Yields the frames of a session stream after the cursor. Always includes the session's deletion, regardless of the
 * selection.
 */
export async function* sessionFrames(
  deps: ViewerDeps,
  session: SessionHandle,
  cursor: MergedCursor,
  { include, signal }: { include: StreamSelection; signal: AbortSignal },
): AsyncGenerator<EventFrame> {
  const { task } = include
  if (task && hasWholeTask(session, include, cursor.seq)) {
    yield completeFrame(String(cursor.seq), task, `run_${task.status}`, task.lastSeq ?? 0)
    return
  }
  for await (const frame of mergedFrames(deps, session, cursor, include, signal)) {
    if (frame === "resync") {
      const { first, head } = seqRange(session.state)
      yield { event: "resync", data: { since_seq: cursor.seq, first_seq: first, latest_seq: head } }
    } else if (frame === "quiet") {
      yield frame
    } else if ("event" in frame) {
      const { event } = frame
      if (include.events || event.type === "session_deleted") yield { id: frame.id, event: "event", data: event }
      if (!task || event.run_id !== task.runId || !endsRun(event)) continue
      yield completeFrame(frame.id, task, event.type, event.seq)
      return
    } else {
      yield { id: frame.id, event: "terminal", data: terminalData(frame) }
    }
  }
}

async function* mergedFrames(
  deps: ViewerDeps,
  session: SessionHandle,
  cursor: MergedCursor,
  include: StreamSelection,
  signal: AbortSignal,
): AsyncGenerator<MergedFrame> {
  if (include.terminal) {
    yield* followMerged(deps, session, cursor, { signal })
    return
  }
  for await (const event of followSession(deps, session, cursor.seq, { signal })) {
    yield typeof event === "string" ? event : { id: String(event.seq), event }
  }
}

/**
 * Returns the data of a terminal frame: either bytes to draw, in base64, or a whole screen as text. A snapshot replaces
 * all earlier frames.
 */
export function terminalData(merged: Extract<MergedFrame, { pty: string }>) {
  const [seq] = merged.id.split(".")
  const common = { pty: merged.pty, seq: Number(seq) }
  if ("screen" in merged) return { ...common, type: "screen", text: true, has_ansi: false, data: merged.screen }
  const { frame } = merged
  const { data = "", screen, ...rest } = { data: undefined, screen: undefined, ...frameData(frame) }
  const bytes = screen === undefined ? data : Buffer.from(screen).toString("base64")
  return { ...common, type: frame.type, text: false, has_ansi: true, data: bytes, ...rest }
}

/**
 * Returns the frame for a task's end. This frame has an ID, because a client that selected no events would otherwise
 * have no ID to continue from.
 */
function completeFrame(id: string, { runId }: RunState, type: string, seq: number): EventFrame {
  return { id, event: "complete", data: completionData(runId, type, seq) }
}

/** Returns the data for a task's end, including an exit code like that of a process. */
export function completionData(taskId: string, type: string, seq: number) {
  const status = type.slice("run_".length)
  const exit_code = status === "completed" ? 0 : status === "cancelled" ? -1 : 1
  return { task_id: taskId, status, exit_code, seq }
}
