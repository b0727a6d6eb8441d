import type { NewEvent } from "@switchyard/core/events"

/** Appends events to the session log in order and in batches. Only one append runs at a time. */
export interface EventQueue {
  push(events: NewEvent[]): void
  /** Waits until all queued events are in the log. Throws if they couldn't be appended. */
  flush(): Promise<void>
  /** Waits until the queue is short, to slow down agents that produce events faster than the store accepts them. */
  room(): Promise<void>
}

const ROOM = 200
const BATCH = 50

export function createEventQueue(deps: {
  append: (events: NewEvent[]) => Promise<void>
  /** Called when an append has failed permanently. */
  onFailure: (error: unknown) => void
}): EventQueue {
  let waiting: NewEvent[] = []
  let appending: Promise<void> | undefined
  let failure: { error: unknown } | undefined

  async function appendAll(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const batch = waiting.slice(0, BATCH)
        waiting = waiting.slice(BATCH)
        await deps.append(batch)
      }
    } catch (error) {
      waiting = []
      failure = { error }
      deps.onFailure(error)
    } finally {
      appending = undefined
    }
  }

  return {
    push(events) {
      if (failure || events.length === 0) return
      waiting.push(...events)
      appending ??= appendAll()
    },
    async flush() {
      while (appending) await appending
      if (failure) throw failure.error
    },
    async room() {
      while (appending && waiting.length > ROOM) await appending
    },
  }
}
