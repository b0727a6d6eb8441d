import { createRepetition } from "@switchyard/core/agents/conversations/repetition"
import { createStandstill } from "@switchyard/core/agents/conversations/standstill"
import type { NewEvent } from "@switchyard/core/events"
import type { LimitStop } from "./turn.ts"

/** Ends a turn if the agent goes in circles or makes no progress. Other limits can also end the turn. */
export interface LoopDetector {
  limits: LimitStop
  /** Receives the turn's events after they were appended. */
  see(events: NewEvent[]): void
}

/** Creates a detector for one turn. `others` are additional limits that can end the turn. */
export function createLoopDetector(others: LimitStop | undefined): LoopDetector {
  const repetition = createRepetition()
  const standstill = createStandstill()
  let onReached: LimitStop["onReached"]
  return {
    limits: {
      get reached() {
        return others?.reached
      },
      get onReached() {
        return onReached
      },
      set onReached(stop) {
        onReached = stop
        if (others) others.onReached = stop
      },
    },
    see(events) {
      for (const event of events) {
        const repeated = repetition.see(event)
        const idle = standstill.see(event)
        if (repeated) onReached?.({ kind: "repeating", message: `The agent is going in circles: ${repeated}.` })
        else if (idle) onReached?.({ kind: "repeating", message: `The agent is making no progress: ${idle}.` })
      }
    },
  }
}
