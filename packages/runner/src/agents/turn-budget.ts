import { createMutex } from "@switchyard/core/concurrency/mutex"
import type { RunParked } from "@switchyard/core/work/runs/run-context"
import type { EventQueue } from "./event-queue.ts"
import type { TurnDeps } from "./turn.ts"
import type { TurnControl } from "./turn-control.ts"

/** Budget of a turn. Ends the turn when the budget is used up. */
export interface TurnBudget {
  /** Makes the model call if the budget isn't used up. Otherwise, ends the turn and returns false. */
  admit(call: () => Promise<void>): Promise<boolean>
  /** Called after the agent itself has reported usage. The usage is then already in the log. */
  reported(): void
  /** Reason for ending the turn, if the budget is used up. */
  readonly parked: RunParked | undefined
}

/**
 * Creates the budget of a turn. Each model call waits until earlier calls have been counted, so at most one call
 * exceeds the budget.
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
