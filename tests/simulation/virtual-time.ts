import { setImmediate } from "node:timers/promises"

/** Creates a clock that jumps to the next timer as soon as no task has anything to do. */
export function createVirtualTime() {
  const timers: { at: number; order: number; go: () => void }[] = []
  let now = 0
  let order = 0

  function sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = { at: now + ms, order: order++, go: resolve }
    let low = 0
    for (let high = timers.length; low < high; ) {
      const middle = (low + high) >> 1
      const other = timers[middle]
      // Latest first, so that the next timer is the last element.
      if (other && (other.at > timer.at || (other.at === timer.at && other.order > timer.order))) low = middle + 1
      else high = middle
    }
    timers.splice(low, 0, timer)
    return promise
  }

  return {
    now: () => now,
    sleep,
    /** Resolves when no timer is left until this time. */
    async run(until: number): Promise<void> {
      for (;;) {
        await setImmediate()
        const next = timers.at(-1)
        if (!next || next.at > until) return
        now = next.at
        while (timers.at(-1)?.at === now) timers.pop()?.go()
      }
    },
  }
}

export type VirtualTime = ReturnType<typeof createVirtualTime>
