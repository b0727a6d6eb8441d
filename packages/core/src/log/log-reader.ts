import { isAppError } from "../errors.ts"
import { backoffMs, type Clock } from "../time.ts"
import type { BaseEvent, LogName, Stored } from "./event.ts"
import type { Log } from "./log.ts"

/**
 * One reader's place in a log. A tail brings what it knows of; this finds whatever was appended before it was asked, which
 * is what a reader of two logs needs to bring them in order.
 */
export interface LogReader<E extends BaseEvent> {
  /** The events after the place, at most `limit`, and fewer only at the head. Moves the place behind them. */
  readOn(limit: number): Promise<Stored<E>[]>
  /** Resolves once there may be more to read, or after a silence. May be asked again before it has resolved. */
  news(): Promise<"more" | "quiet">
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
  let place = since
  let batchEnd = false
  let asked: { news: Promise<"more" | "quiet">; heard: boolean } | undefined

  async function listen(): Promise<"more" | "quiet"> {
    for (;;) {
      const { done, value } = await tail.next()
      if (done || value.type === "heartbeat") return "quiet"
      if ((value as Stored<E>).seq > place) return "more"
    }
  }

  return {
    async readOn(limit) {
      if (asked?.heard) asked = undefined
      const events: Stored<E>[] = []
      for (let failures = 0; ; failures++) {
        try {
          for await (const event of log.read(name, place, { signal, batchEnd })) {
            place = event.seq
            batchEnd = false
            if (events.push(event) === limit) return events
          }
          batchEnd = place > 0
          return events
        } catch (error) {
          if (!isAppError(error, "storage_unavailable") || signal.aborted) throw error
          await clock.sleep(backoffMs(failures, 25, 1000), { signal })
        }
      }
    },
    news() {
      if (asked) return asked.news
      const question = { news: listen(), heard: false }
      const heard = () => {
        question.heard = true
      }
      question.news.then(heard, heard)
      asked = question
      return question.news
    },
    async close() {
      closed.abort()
      await Promise.allSettled([asked?.news])
      await tail.return(undefined)
    },
  }
}
