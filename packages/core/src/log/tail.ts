import { backoffMs } from "../concurrency/retry.ts"
import { isAppError, settle } from "../errors.ts"
import type { BaseEvent, LogName, Stored } from "./event.ts"
import { createFollower, type Follower, type FollowerDeps } from "./follower.ts"

export interface Heartbeat {
  type: "heartbeat"
}

export type Tail = <E extends BaseEvent>(
  log: LogName<E>,
  since: number,
  options: { signal: AbortSignal; heartbeatMs?: number },
) => AsyncGenerator<Stored<E> | Heartbeat>

const HEARTBEAT_MS = 15_000

/**
 * Creates a function that follows logs. Each reader first reads up to the head on its own. After that, a shared
 * follower reads for all of them, on each wakeup and at intervals. Readers share the event objects, so they must not
 * change them.
 */
export function createTail(deps: FollowerDeps): Tail {
  const { read, clock } = deps
  const followers = createFollowers(deps)

  return async function* tail<E extends BaseEvent>(
    log: LogName<E>,
    since: number,
    { signal, heartbeatMs = HEARTBEAT_MS }: { signal: AbortSignal; heartbeatMs?: number },
  ): AsyncGenerator<Stored<E> | Heartbeat> {
    let head = since
    let batchEnd = false
    let lastYieldAt = clock.monotonic()
    let shared: SharedFollower | undefined
    try {
      for (let failures = 0; !signal.aborted; ) {
        try {
          const buffered = shared?.follower.after(head) as Stored<E>[] | undefined
          for await (const event of buffered ?? read(log, head, { signal, batchEnd })) {
            yield event
            head = event.seq
            lastYieldAt = clock.monotonic()
            if (signal.aborted) return
          }
          batchEnd = head > 0
          failures = 0
        } catch (error) {
          // If the store is unavailable, act as if there were no events. Don't end the log.
          if (!isAppError(error, "storage_unavailable") && !signal.aborted) throw error
          failures++
        }
        if (signal.aborted) return
        if (clock.monotonic() - lastYieldAt >= heartbeatMs) {
          yield { type: "heartbeat" }
          lastYieldAt = clock.monotonic()
        }
        if (failures > 0) {
          await settle(() => clock.sleep(backoffMs(failures, 25, 1000), { signal }))
        } else {
          shared = followers.join(log, head, shared)
          await shared.follower.wait(head, lastYieldAt + heartbeatMs, { signal })
        }
      }
    } finally {
      if (shared) followers.leave(log, shared)
    }
  }
}

interface SharedFollower {
  follower: Follower
  readers: number
}

/** Shares one follower per log, from the time when the first reader joins until the last one leaves. */
function createFollowers(deps: FollowerDeps) {
  const shared = new Map<string, SharedFollower>()

  function leave(log: string, follower: SharedFollower): void {
    if (--follower.readers > 0) return
    follower.follower.close()
    if (shared.get(log) === follower) shared.delete(log)
  }

  return {
    leave,
    /** Returns the log's follower for a reader that has reached the head. Replaces the follower if it has failed. */
    join(log: string, head: number, present: SharedFollower | undefined): SharedFollower {
      if (present && !present.follower.failed) return present
      if (present) leave(log, present)
      const existing = shared.get(log)
      const joined =
        existing && !existing.follower.failed ? existing : { follower: createFollower(deps, log, head), readers: 0 }
      joined.readers++
      shared.set(log, joined)
      return joined
    },
  }
}
