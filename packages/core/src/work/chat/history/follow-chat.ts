import { logName } from "../../../kernel/keys.ts"
import type { SessionHandle } from "../../../kernel/session-handle.ts"
import type { Log } from "../../../log/log.ts"
import { hydrateEvent } from "../../../log/payload.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import type { EventFrame } from "../../runs/run-events.ts"
import { endsRun } from "../../runs/schema.ts"
import { activeTurn, type ChatTurn } from "../state.ts"
import { type ChatFrame, createChatProjection } from "./frames.ts"

interface FollowDeps {
  log: Log
  blobs: Blobs
}

/**
 * Yields the frames of one turn until its run ends or, if no turn is given, the frames of all turns from the active
 * turn on. A reader that joins late or resumes from a cursor receives the text so far once, and then all new frames.
 */
export async function* chatFrames(
  { log, blobs }: FollowDeps,
  { sid, state }: Pick<SessionHandle, "sid" | "state">,
  { turn, since, signal }: { turn?: ChatTurn; since: number; signal: AbortSignal },
): AsyncGenerator<EventFrame> {
  const project = createChatProjection()
  const begin = (turn ?? activeTurn(state))?.askedSeq ?? Number.POSITIVE_INFINITY
  const from = Math.min(begin - 1, turn ? begin : since > 0 ? since : state.head)
  const known = Math.max(since, state.head)
  /** Newest text frame that was skipped while the reader catches up. */
  let passed: { frame: ChatFrame; seq: number } | undefined
  for await (const event of log.tail(logName(sid), from, { signal })) {
    if (event.type === "heartbeat") {
      yield "quiet"
      continue
    }
    if (event.type === "session_deleted") return
    if (turn && event.run_id !== turn.runId) continue
    const { seq } = event
    for (const frame of project(await hydrateEvent(blobs, event, { signal }))) {
      if (turn && frame.event === "contextChanged") continue
      if (frame.event === "streamChunk" && seq < known) passed = { frame, seq }
      else {
        if (passed && frame.event !== "streamChunk") yield framed(passed.frame, passed.seq)
        passed = undefined
        if (seq > since || frame.event === "streamChunk") yield framed(frame, seq)
      }
    }
    if (passed && seq >= known) {
      yield framed(passed.frame, passed.seq)
      passed = undefined
    }
    if (turn && endsRun(event)) return
  }
}

function framed({ event, data }: ChatFrame, seq: number): EventFrame {
  return { id: String(seq), event, data }
}
