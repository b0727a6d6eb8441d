import { openSessionLog, type SessionLogDeps } from "@switchyard/core/kernel/session-log"
import { isLive } from "@switchyard/core/kernel/state"
import type { Tasks } from "./ecs.ts"
import { executorNameOf } from "./executor-name.ts"
import { needsRunner } from "./launch-goal.ts"
import type { GrantOptions } from "./place-grants.ts"
import type { SessionTask } from "./place-rules.ts"
import type { StagePlaces } from "./stage-places.ts"

export interface SuspendDeps extends SessionLogDeps {
  places: StagePlaces
  openTasks: () => Promise<Tasks>
}

/**
 * Suspends the tasks of parked runners, if the driver supports it, and stops tasks of deleted sessions. Safe to run at
 * the same time as other workers and launches: each worker checks the session again after suspending its task.
 */
export async function suspendParked(deps: SuspendDeps, options: GrantOptions): Promise<void> {
  const { running, suspended } = await deps.places.parking(options)
  if (running.length + suspended.length === 0) return
  const tasks = await deps.openTasks()
  const { suspend, resume } = tasks
  if (!suspend || !resume) return

  async function suspendTask({ sid, task }: SessionTask): Promise<void> {
    const session = await openSessionLog(deps, sid, options)
    const isParked = () => session.state.runner.standby === executorNameOf(task)
    if (!isLive(session.state) || !isParked()) return
    await suspend?.(task, options)
    await session.catchUp(options)
    // If a launch began in the meantime, it saw the task running and is waiting for it, so resume the task.
    if (isParked() && !needsRunner(session.state)) await deps.places.noteSuspended({ sid, task }, options)
    else await resume?.(task, options)
  }

  /** True if a suspended task can't be used any more. */
  async function isOver({ sid, task }: SessionTask): Promise<boolean> {
    const { state } = await openSessionLog(deps, sid, options)
    const { executor, standby } = state.runner
    return !isLive(state) || ![executor, standby].includes(executorNameOf(task))
  }

  for (const one of running) await suspendTask(one)
  const stopped = new Set(
    suspended.length > 0
      ? await tasks.stoppedOf(
          suspended.map(({ task }) => task),
          options,
        )
      : [],
  )
  for (const one of suspended) {
    if (stopped.has(one.task) || !(await isOver(one))) continue
    await tasks.stop(one.task, "This runner is no longer needed.", options)
    stopped.add(one.task)
  }
  if (stopped.size > 0) await deps.places.forget([...stopped], options)
}
