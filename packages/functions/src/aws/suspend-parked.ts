import { openSessionLog, type SessionLogDeps } from "@switchyard/core/kernel/session-log"
import { isLive } from "@switchyard/core/kernel/state"
import type { Tasks } from "./ecs.ts"
import { executorOf } from "./executor-name.ts"
import { needsRunner } from "./launch-goal.ts"
import type { SessionTask, StagePlaces } from "./stage-places.ts"

export interface SuspendDeps extends SessionLogDeps {
  places: StagePlaces
  openTasks: () => Promise<Tasks>
}

/**
 * Suspends the tasks whose runners have parked, where they can be, and stops those of sessions that were deleted. Any number of
 * workers may do so at once, beside others that launch: each looks once more at the session whose task it has suspended.
 */
export async function suspendParked(deps: SuspendDeps, options: { signal: AbortSignal }): Promise<void> {
  const { running, suspended } = await deps.places.parking(options)
  if (running.length + suspended.length === 0) return
  const tasks = await deps.openTasks()
  const { suspend, resume } = tasks
  if (!suspend || !resume) return

  async function suspendTask({ sid, task }: SessionTask): Promise<void> {
    const session = await openSessionLog(deps, sid, options)
    const isParked = () => session.state.runner.standby === executorOf(task)
    if (!isLive(session.state) || !isParked()) return
    await suspend?.(task, options)
    await session.catchUp(options)
    // A launch that came in between found it running, and waits for it.
    if (isParked() && !needsRunner(session.state)) await deps.places.noteSuspended({ sid, task }, options)
    else await resume?.(task, options)
  }

  /** Whether a suspended task is there for nothing. */
  async function isOver({ sid, task }: SessionTask): Promise<boolean> {
    const { state } = await openSessionLog(deps, sid, options)
    const { executor, standby } = state.runner
    return !isLive(state) || ![executor, standby].includes(executorOf(task))
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
    await tasks.stop(one.task, "Nobody needs this runner any more.", options)
    stopped.add(one.task)
  }
  if (stopped.size > 0) await deps.places.forget([...stopped], options)
}
