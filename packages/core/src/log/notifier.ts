/**
 * Notifies tails in the same process that a log has grown, so that they don't have to wait for their next poll. A
 * notification is only a hint: a tail that misses it reads the events slightly later.
 */
export type Wakeups = ReturnType<typeof createWakeups>

const MAX_LOGS = 10_000

export function createWakeups() {
  const logs = new Map<string, { count: number; waiting: Set<() => void> }>()
  const entry = (log: string) => {
    const found = logs.get(log) ?? { count: 0, waiting: new Set<() => void>() }
    logs.set(log, found)
    if (logs.size > MAX_LOGS) forgetOne()
    return found
  }
  /**
   * Evicts a log that no tail is waiting for. If this makes a later tail miss a hint, that tail reads the events at its
   * next poll.
   */
  const forgetOne = () => {
    for (const [log, { waiting }] of logs) if (waiting.size === 0) return logs.delete(log)
  }
  return {
    /**
     * Returns a number that increases with each `notify`. Read this number before the log, so that `wait` can't miss a
     * change in between.
     */
    count: (log: string): number => logs.get(log)?.count ?? 0,
    notify(log: string): void {
      const { waiting } = Object.assign(entry(log), { count: entry(log).count + 1 })
      for (const wake of [...waiting]) wake()
    },
    /** Resolves when `count(log)` exceeds `seen`, or when the signal aborts. */
    wait(log: string, seen: number, { signal }: { signal: AbortSignal }): Promise<void> {
      const { count, waiting } = entry(log)
      if (count > seen || signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const wake = () => {
          waiting.delete(wake)
          signal.removeEventListener("abort", wake)
          resolve()
        }
        waiting.add(wake)
        signal.addEventListener("abort", wake)
      })
    },
  }
}
