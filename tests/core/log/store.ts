import type { NewEvent } from "@switchyard/core/events"
import type { Records } from "@switchyard/core/storage/records"
import type { Clock } from "@switchyard/core/time"

export type Call = "get" | "put" | "remove" | "range"

/** Records each call and runs `before` ahead of it. */
export function spied(records: Records, before: (call: Call, sort: string) => void | Promise<void> = () => {}) {
  const calls: Call[] = []
  const note = async (call: Call, sort: string) => {
    calls.push(call)
    await before(call, sort)
  }
  const spy: Records = {
    ...records,
    async get(key, options) {
      await note("get", key.sort)
      return records.get(key, options)
    },
    async put(key, body, options) {
      await note("put", key.sort)
      return records.put(key, body, options)
    },
    async remove(key, options) {
      await note("remove", key.sort)
      return records.remove(key, options)
    },
    async *range(partition, options) {
      await note("range", options?.from ?? "")
      yield* records.range(partition, options)
    },
  }
  return { records: spy, calls }
}

/** Creates a clock that stands still until the test calls `wakeNext` or `pass`. */
export function createManualClock({ start = 1_700_000_000_000 }: { start?: number } = {}) {
  const sleepers = new Set<{ at: number; wake: () => void }>()
  let elapsed = 0
  const clock: Clock = {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    sleep(ms, { signal }) {
      return new Promise((resolve, reject) => {
        const leave = () => {
          sleepers.delete(sleeper)
          signal?.removeEventListener("abort", abort)
        }
        const abort = () => {
          leave()
          reject(signal?.reason)
        }
        const wake = () => {
          leave()
          resolve()
        }
        const sleeper = { at: elapsed + ms, wake }
        sleepers.add(sleeper)
        signal?.addEventListener("abort", abort)
        if (signal?.aborted) abort()
      })
    },
  }
  return {
    clock,
    sleeping: () => sleepers.size,
    /** Waits for a sleeper, wakes the earliest sleeper, and resolves to the milliseconds passed. */
    async wakeNext(): Promise<number> {
      while (sleepers.size === 0) await new Promise((resolve) => setImmediate(resolve))
      const [next] = [...sleepers].sort((a, b) => a.at - b.at)
      if (!next) throw new Error("Nobody sleeps.")
      const ms = next.at - elapsed
      elapsed = Math.max(elapsed, next.at)
      next.wake()
      return ms
    },
    pass(ms: number) {
      elapsed += ms
    },
  }
}

/** Returns an event of an unknown type. */
export function note(text: string): NewEvent {
  return { type: "note", text } as unknown as NewEvent
}

export const noSignal = () => new AbortController().signal
