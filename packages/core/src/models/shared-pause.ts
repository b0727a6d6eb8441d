import type { Clock } from "../time.ts"

/**
 * The pause that calls with one limit make together when they meet it. The first that met it asks again when the pause is
 * over; all others wait until it is let in, and are then let in one after the other, in the order in which they began to
 * wait, until nobody waits any more. So a limit costs the requests that were under way when it was met, and one more each
 * time that it is met anew, however many calls there are.
 */
export interface SharedPause {
  newCall(): PausedCall
}

/** A call, with all of its attempts. */
export interface PausedCall {
  /** Resolves when an attempt may be made. Rejects with the signal's reason when it aborts. */
  enter(signal: AbortSignal): Promise<void>
  /** Says that the provider has let the attempt in. */
  letIn(): void
  /**
   * Says that an attempt met the limit. Returns how often it was met in a row: once for all attempts that were under way
   * together, and once for each that was made alone since, by whichever call; 0 where this call only waits for another.
   */
  limited(): number
  /** Makes the pause last for so long from now on, if it isn't longer. */
  pause(ms: number): void
  /** Ends the call, whatever became of it. */
  leave(): void
}

/** A pause of its own; `onLimit` is called each time that the limit is met anew. */
export function createSharedPause(clock: Clock, onLimit: () => void = () => {}): SharedPause {
  const waiting = new Map<PausedCall, () => void>()
  /** The call whose turn it is; undefined while all may go. */
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

  /** Resolves when it is this call's turn. */
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

  /** Sleeps until the pause is over, which others may have made longer meanwhile. */
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
