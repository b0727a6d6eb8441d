import { backoffMs, retry } from "../concurrency/retry.ts"
import { isAppError } from "../errors.ts"
import type { Clock } from "../time.ts"
import type { BaseEvent, LogName, Stored } from "./event.ts"
import type { Log } from "./log.ts"

/**
 * A reader with a position in a log. A tail may yield events some time after they were appended. By contrast, this
 * reader returns everything that was appended before the call. A caller that reads two logs can therefore merge their
 * events in order.
 */
export interface LogReader<E extends BaseEvent> {
  /**
   * Returns up to `limit` events after the position, and fewer only at the head. Moves the position past these events.
   */
  readMore(limit: number): Promise<Stored<E>[]>
  /** Resolves when there may be more to read ("more"), or after some time without news ("quiet"). Calls may overlap. */
  waitForMore(): Promise<"more" | "quiet">
  close(): Promise<void>
}

export function openLogReader<E extends BaseEvent>(
  { log, clock }: { log: Pick<Log, "read" | "tail">; clock: Clock },
  name: LogName<E>,
  since: number,
  options: { signal: AbortSignal },
): LogReader<E> {
  const closed = new AbortController()
  const signal = AbortSignal.any([options.signal, closed.signal])
  const tail = log.tail(name, since, { signal })
  let position = since
  let batchEnd = false
  let pending: { outcome: Promise<"more" | "quiet">; settled: boolean } | undefined

  async function nextOutcome(): Promise<"more" | "quiet"> {
    for (;;) {
      const { done, value } = await tail.next()
      if (done || value.type === "heartbeat") return "quiet"
      if ((value as Stored<E>).seq > position) return "more"
    }
  }

  return {
    async readMore(limit) {
      if (pending?.settled) pending = undefined
      const events: Stored<E>[] = []
      const read = async () => {
        for await (const event of log.read(name, position, { signal, batchEnd })) {
          position = event.seq
          batchEnd = false
          if (events.push(event) === limit) return events
        }
        batchEnd = position > 0
        return events
      }
      const delayMs = (error: unknown, attempt: number) =>
        isAppError(error, "storage_unavailable") && !signal.aborted ? backoffMs(attempt, 25, 1000) : undefined
      return retry(read, { delayMs, clock, signal })
    },
    waitForMore() {
      if (pending) return pending.outcome
      const wait = { outcome: nextOutcome(), settled: false }
      const settled = () => {
        wait.settled = true
      }
      wait.outcome.then(settled, settled)
      pending = wait
      return wait.outcome
    },
    async close() {
      closed.abort()
      await Promise.allSettled([pending?.outcome])
      await tail.return(undefined)
    },
  }
}
