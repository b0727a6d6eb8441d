import type { Clock } from "../time.ts"

/**
 * Pause shared by all calls under one limit. The first call that hits the limit retries when the pause is over. All
 * other calls wait until the first one succeeds, and then proceed one at a time, in order, until none is waiting. So
 * whatever the number of calls, a limit costs only the requests in flight, plus one request each time the limit is hit
 * again.
 */
export type SharedPause = ReturnType<typeof createSharedPause>

/** A call, including its retries. */
export interface PausedCall {
  /** Resolves when the next attempt may start. Rejects with the signal's reason when it aborts. */
  enter(signal: AbortSignal): Promise<void>
  /** Reports that the provider accepted the attempt. */
  letIn(): void
  /**
   * Reports that an attempt hit the limit. Returns the number of times that the limit was hit in a row. Attempts in
   * flight together count as one; after that, each attempt by any call counts. Returns 0 if this call only has to wait
   * for another.
   */
  limited(): number
  /** Extends the pause so that it lasts at least this long from now. */
  pause(ms: number): void
  /** Ends the call, whatever its outcome. */
  leave(): void
}

/** Creates a pause. `onLimit` is called whenever the limit is hit again. */
export function createSharedPause(clock: Clock, onLimit: () => void = () => {}) {
  const waiting = new Map<PausedCall, () => void>()
  /** Call that may proceed now. Undefined if all calls may. */
  let leader: PausedCall | undefined
  let failures = 0
  let until = 0

  function passOn(): void {
    const [next] = waiting
    leader = next?.[0]
    if (!next) failures = 0
    else waiting.delete(next[0])
    next?.[1]()
  }

  /** Resolves when it's this call's turn. */
  async function queue(call: PausedCall, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const turn = Promise.withResolvers<void>()
    const abort = () => {
      waiting.delete(call)
      turn.reject(signal.reason)
    }
    waiting.set(call, turn.resolve)
    signal.addEventListener("abort", abort, { once: true })
    await turn.promise.finally(() => signal.removeEventListener("abort", abort))
  }

  /** Sleeps until the pause is over. Other calls may extend it in the meantime. */
  async function sitOut(signal: AbortSignal): Promise<void> {
    for (let slept = clock.monotonic(); slept < until; ) {
      const end = until
      await clock.sleep(end - slept, { signal })
      slept = end
    }
  }

  function newCall(): PausedCall {
    const call: PausedCall = {
      async enter(signal) {
        if (leader && leader !== call) await queue(call, signal)
        if (leader === call) await sitOut(signal)
      },
      letIn() {
        if (leader !== call) return
        failures = 0
        passOn()
      },
      limited() {
        leader ??= call
        if (leader !== call) return 0
        onLimit()
        return ++failures
      },
      pause(ms) {
        until = Math.max(until, clock.monotonic() + ms)
      },
      leave() {
        if (leader === call) passOn()
      },
    }
    return call
  }

  return { newCall }
}
