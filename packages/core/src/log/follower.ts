import { isAppError } from "../errors.ts"
import type { Clock } from "../time.ts"
import type { BaseEvent, LogName, Stored } from "./event.ts"
import type { Wakeups } from "./notifier.ts"

export interface FollowerDeps {
  read<E extends BaseEvent>(
    log: LogName<E>,
    since: number,
    options: { signal: AbortSignal; batchEnd: boolean },
  ): AsyncGenerator<Stored<E>>
  clock: Clock
  wakeups?: Wakeups
}

/** Follows the end of a log on behalf of all readers in this process. Runs while at least one of them is waiting. */
export type Follower = ReturnType<typeof createFollower>

// Poll often while events arrive. If none arrive, slow down to once a second within 90 seconds.
const HOT_POLL_MS = 25
const IDLE_POLL_MS = 1000
const EASING = 4

const MAX_BUFFERED = 256

export function createFollower({ read, clock, wakeups }: FollowerDeps, log: string, since: number) {
  const closed = new AbortController()
  const waiting = new Set<{ since: number; dueAt: number; wake: () => void }>()
  let events: Stored<BaseEvent>[] = []
  let head = since
  let following = false
  let failed = false

  async function follow(): Promise<void> {
    for (let quiet = 0; waiting.size > 0 && !closed.signal.aborted; quiet++) {
      const seen = wakeups?.count(log) ?? 0
      if (await readMore()) quiet = 0
      for (const reader of waiting) {
        if (failed || reader.since < head || reader.dueAt <= clock.monotonic()) reader.wake()
      }
      if (failed) return
      // Pause to give the readers that were just woken time to wait again.
      await pause(seen, Math.min(HOT_POLL_MS * (1 + quiet / EASING), IDLE_POLL_MS))
    }
    following = false
  }

  /** Reads the next events. Returns true if there were any. */
  async function readMore(): Promise<boolean> {
    const before = head
    try {
      for await (const event of read(log, head, { signal: closed.signal, batchEnd: head > 0 })) {
        events.push(event)
        head = event.seq
        if (events.length > 2 * MAX_BUFFERED) events = events.slice(-MAX_BUFFERED)
      }
    } catch (error) {
      // If the store is unavailable, act as if there were no events. Don't end the log.
      if (!isAppError(error, "storage_unavailable")) failed = true
    }
    return head > before
  }

  /** Waits until the next poll is due, the log has grown, or the last reader has left. */
  async function pause(seen: number, ms: number): Promise<void> {
    const done = new AbortController()
    const either = AbortSignal.any([closed.signal, done.signal])
    const waits = [clock.sleep(ms, { signal: either })]
    if (wakeups) waits.push(wakeups.wait(log, seen, { signal: either }))
    try {
      await Promise.race(waits)
    } catch (error) {
      if (!closed.signal.aborted) throw error
    } finally {
      done.abort()
      await Promise.allSettled(waits)
    }
  }

  function start(since: number): void {
    if (since > head) {
      head = since
      events = []
    }
    following = true
    follow().catch(() => {
      failed = true
      for (const reader of waiting) reader.wake()
    })
  }

  return {
    /**
     * Returns the events after `since` if all of them are buffered and no read has failed. Otherwise, returns
     * undefined, and the reader must read the log itself.
     */
    after(since: number): Stored<BaseEvent>[] | undefined {
      if (failed) return undefined
      const behind = head - since
      if (behind <= 0) return []
      return behind <= events.length ? events.slice(-behind) : undefined
    },
    /**
     * Resolves when there may be events after `since`, when the monotonic clock reaches `dueAt`, or when the signal
     * aborts.
     */
    wait(since: number, dueAt: number, { signal }: { signal: AbortSignal }): Promise<void> {
      if (signal.aborted || failed || since < head) return Promise.resolve()
      return new Promise((resolve) => {
        const reader = { since, dueAt, wake }
        function wake() {
          waiting.delete(reader)
          signal.removeEventListener("abort", wake)
          resolve()
        }
        waiting.add(reader)
        signal.addEventListener("abort", wake)
        if (!following) start(since)
      })
    },
    get failed() {
      return failed
    },
    /** Stops following. Must be called when the last reader has left. */
    close: (): void => closed.abort(),
  }
}
