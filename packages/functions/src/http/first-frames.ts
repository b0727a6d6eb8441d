import type { Clock } from "@switchyard/core/time"
import type { EventFrame } from "@switchyard/core/work/runs/run-events"

/** The time that what follows a first frame closely has to be sent with it. */
const GATHER_MS = 200

/**
 * The frames that there are by now, for a response that has to end before it is delivered. Where there is none, waits for one
 * up to `waitMs`, those not counted that the client has. It goes on from the last frame, so none that comes later is lost.
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
