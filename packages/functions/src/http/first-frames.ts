import type { Clock } from "@switchyard/core/time"
import type { EventFrame } from "@switchyard/core/work/runs/run-events"

/** Time to wait after the first new frame, because more frames often follow closely. */
const GATHER_MS = 200

/**
 * Yields the frames available now, for clients that receive a response only when it ends. If the client already has all
 * of these frames, waits up to `waitMs` for a new frame. The client's next request continues after the last frame, so
 * no frames are lost.
 */
export async function* firstFrames(
  { clock, waitMs, isKnown }: { clock: Clock; waitMs: number; isKnown(frame: Exclude<EventFrame, "quiet">): boolean },
  open: (signal: AbortSignal) => AsyncGenerator<EventFrame>,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<EventFrame> {
  const ended = new AbortController()
  const stop = AbortSignal.any([signal, ended.signal])
  const endIn = (ms: number) => {
    clock.sleep(ms, { signal: stop }).then(
      () => ended.abort(),
      () => undefined,
    )
  }
  endIn(waitMs)
  let isGathering = false
  try {
    for await (const frame of open(stop)) {
      if (frame === "quiet" || isKnown(frame)) continue
      yield frame
      if (!isGathering) endIn(GATHER_MS)
      isGathering = true
    }
  } finally {
    ended.abort()
  }
}
