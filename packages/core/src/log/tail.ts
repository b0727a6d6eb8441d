import { isAppError } from "../errors.ts"
import type { Clock } from "../stream.ts"
import type { BaseEvent, LogName, Stored } from "./event.ts"
import type { Wakeups } from "./wakeups.ts"

export interface Heartbeat {
  type: "heartbeat"
}

export type Tail = <E extends BaseEvent>(
  log: LogName<E>,
  since: number,
  options: { signal: AbortSignal; heartbeatMs?: number },
) => AsyncGenerator<Stored<E> | Heartbeat>

interface TailDeps {
  read<E extends BaseEvent>(
    log: LogName<E>,
    since: number,
    options: { signal: AbortSignal; batchEnd: boolean },
  ): AsyncGenerator<Stored<E>>
  clock: Clock
  wakeups?: Wakeups
}

const HEARTBEAT_MS = 15_000

// Often while events come, easing to once a second within a minute and a half of silence.
const HOT_POLL_MS = 25
const IDLE_POLL_MS = 1000
const EASING = 4

/** Follows logs by reading on, as soon as a hint says so and now and then without one. */
export function createTail({ read, clock, wakeups }: TailDeps): Tail {
  async function* tail<E extends BaseEvent>(
    log: LogName<E>,
    since: number,
    { signal, heartbeatMs = HEARTBEAT_MS }: { signal: AbortSignal; heartbeatMs?: number },
  ): AsyncGenerator<Stored<E> | Heartbeat> {
    let head = since
    let batchEnd = false
    let lastSign = clock.monotonic()
    for (let quiet = 0; !signal.aborted; quiet++) {
      const seen = wakeups?.count(log) ?? 0
      try {
        for await (const event of read(log, head, { signal, batchEnd })) {
          yield event
          head = event.seq
          lastSign = clock.monotonic()
          quiet = 0
          if (signal.aborted) return
        }
        batchEnd = head > 0
      } catch (error) {
        // A store that is out of breath is silence, not the end of the log.
        if (!isAppError(error, "storage_unavailable") && !signal.aborted) throw error
      }
      if (signal.aborted) return
      if (clock.monotonic() - lastSign >= heartbeatMs) {
        yield { type: "heartbeat" }
        lastSign = clock.monotonic()
      }
      await pause(log, seen, Math.min(HOT_POLL_MS * (1 + quiet / EASING), IDLE_POLL_MS), signal)
    }
  }

  /** Until the next poll is due, the log has grown, or the tail is left. */
  async function pause(log: string, seen: number, ms: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    const waits = [clock.sleep(ms, { signal: either })]
    if (wakeups) waits.push(wakeups.wait(log, seen, { signal: either }))
    try {
      await Promise.race(waits)
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      over.abort()
      await Promise.allSettled(waits)
    }
  }

  return tail
}
