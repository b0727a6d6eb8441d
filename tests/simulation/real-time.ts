import { setTimeout as delay } from "node:timers/promises"
import { AppError } from "@switchyard/core/errors"
import type { Records } from "@switchyard/core/storage/records"
import type { Faults } from "./records.ts"
import { mulberry32, type Process } from "./scheduler.ts"
import type { Pace } from "./world.ts"

const MS_PER_STEP = 0.2

/** Lets actors run in real time, in the order that the operating system chooses. */
export function createRealPace(seed: number): Pace & { pending(): number } {
  const random = mulberry32(seed)
  const chance = (probability: number) => probability > 0 && random() < probability
  let pending = 0
  return {
    random,
    chance,
    now: Date.now,
    async turn(process, { delay: steps = 0, signal } = {}) {
      await delay(random() * steps * MS_PER_STEP, undefined, { signal })
      if (!chance(process.mortality)) return
      process.dead = true
      await new Promise(() => {})
    },
    later(task) {
      pending++
      setTimeout(
        () => {
          pending--
          task()
        },
        random() * 60 * MS_PER_STEP,
      )
    },
    spawn(body) {
      void body()
    },
    pending: () => pending,
  }
}

/**
 * Wraps a real store with a bad connection. The store doesn't learn of aborted calls, so a sent write may still be
 * applied.
 */
export function overBadLine(records: Records, pace: Pace, process: Process, faults: Faults): Records {
  const unavailable = () => new AppError("storage_unavailable", "Nothing was heard of the call.")

  async function write<T>(apply: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await pace.turn(process, { signal })
    if (pace.chance(faults.dropped)) throw unavailable()
    if (pace.chance(faults.late)) {
      // If this late write fails, it was only dropped.
      pace.later(() => void apply().catch(unavailable))
      throw unavailable()
    }
    const result = await apply()
    await pace.turn(process, { signal, delay: pace.chance(faults.stalled) ? 200 : 0 })
    if (pace.chance(faults.lost)) throw unavailable()
    return result
  }

  return {
    ...records,
    async get(key, { signal } = {}) {
      await pace.turn(process, { signal })
      return records.get(key)
    },
    put: (key, body, { signal, ...options } = {}) => write(() => records.put(key, body, options), signal),
    async *range(partition, { signal, ...options } = {}) {
      await pace.turn(process, { signal })
      for await (const record of records.range(partition, options)) {
        signal?.throwIfAborted()
        yield record
      }
    },
  }
}
