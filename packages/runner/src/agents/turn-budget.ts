import { createMutex } from "@switchyard/core/mutex"
import type { RunParked } from "@switchyard/core/work/runs/run-context"
import type { EventQueue } from "./event-queue.ts"
import type { TurnDeps } from "./turn.ts"
import type { TurnControl } from "./turn-control.ts"

/** The budget of one turn, which ends the turn once it is used up. */
export interface TurnBudget {
  /** Makes a call of the model where there is room for it. Resolves to false, with the turn ended, where there is none. */
  admit(call: () => Promise<void>): Promise<boolean>
  /** Sees that the agent itself has reported usage, which is in the log. */
  reported(): void
  /** The reason for which the turn was ended, if it was. */
  readonly parked: RunParked | undefined
}

/**
 * Watches the budget of one turn. Where there is one, calls are made one after the other, each once the one before is counted:
 * so they pass the budget by one call at most.
 */
export function createTurnBudget(
  { budget, report }: Pick<TurnDeps, "budget" | "report">,
  { queue, control }: { queue: Pick<EventQueue, "flush">; control: Pick<TurnControl, "stop" | "isLeaving"> },
): TurnBudget {
  const alone = createMutex()
  let parked: RunParked | undefined

  async function hasRoom(): Promise<boolean> {
    parked ??= await budget?.findReached()
    if (parked) control.stop("parked")
    return parked === undefined
  }

  async function check(): Promise<void> {
    if (!control.isLeaving && (await budget?.isSet())) await hasRoom()
  }

  return {
    async admit(call) {
      if (!(await budget?.isSet())) {
        await call()
        return true
      }
      return alone(async () => {
        await queue.flush()
        if (control.isLeaving || !(await hasRoom())) return false
        await call()
        return true
      })
    },
    reported: () => void alone(check).catch(report),
    get parked() {
      return parked
    },
  }
}
