import { createMutex } from "@switchyard/core/concurrency/mutex"

/** Runs one task at a time, and calls `interrupt` before each task. */
export interface Exclusive {
  readonly isBusy: boolean
  run<T>(task: () => Promise<T>): Promise<T>
  /** Returns once all earlier tasks have finished. */
  settled(): Promise<void>
}

export function createExclusive(interrupt: () => Promise<void>): Exclusive {
  const inOrder = createMutex()
  let active = 0
  return {
    get isBusy() {
      return active > 0
    },
    async run(task) {
      active++
      try {
        return await inOrder(async () => {
          await interrupt()
          return task()
        })
      } finally {
        active--
      }
    },
    settled: () => inOrder(async () => {}),
  }
}
