import { grantsOf } from "./follow-grants.ts"
import type { GrantOptions } from "./place-grants.ts"
import type { HeldPlace } from "./place-records.ts"
import { MAX_COUNTED, type Waiter } from "./runner-queue.ts"
import type { StagePlaces } from "./stage-places.ts"

export interface CheckPlacesDeps {
  clock: { now(): number }
  places: StagePlaces
  /** True if tasks can be suspended. */
  suspends: boolean
  /** Returns the tasks that are running or starting. */
  runningTasks: (options: { signal: AbortSignal }) => Promise<ReadonlySet<string>>
  /** Returns the task that serves the session, if there is one, and whether the session needs a runner. */
  lookAt: (sid: string, options: { signal: AbortSignal }) => Promise<{ task: string | null; needsRunner: boolean }>
  /** Receives the error if a session can't be checked. The next check tries again. */
  report: (error: unknown) => void
}

/** For a moment, ECS may not list a new task. Until then, a missing task isn't considered stopped. */
const LISTED_WITHIN_MS = 15_000

/**
 * Compares the slots with the running tasks, because events of stopped tasks can be lost, and functions can be
 * interrupted. Frees slots of tasks that have stopped and of launches that were abandoned, and removes sessions from the
 * queue that no longer need a runner. Yields the sessions that got a slot as soon as they have it.
 */
export async function* checkPlaces(
  { clock, places, suspends, runningTasks, lookAt, report }: CheckPlacesDeps,
  options: { signal: AbortSignal },
): AsyncGenerator<string> {
  // Read the slots before the list of tasks. Otherwise, a task that starts in between would be missing from the list and
  // be taken for stopped.
  const held = await places.held(options)
  const now = clock.now()
  const running = held.length > 0 ? await runningTasks(options) : new Set<string>()

  async function checkPlace({ sid, task, used }: HeldPlace, granting: GrantOptions): Promise<void> {
    if (task !== null) {
      if (!running.has(task)) await places.taskStopped(task, granting)
      return
    }
    if (!used) return
    const session = await lookAt(sid, options)
    if (session.task === null || !running.has(session.task)) {
      if (!session.needsRunner) await places.release(sid, undefined, granting)
      return
    }
    await places.note(sid, session.task, { parks: suspends, ...options })
  }

  async function checkWaiting(waiter: Waiter): Promise<void> {
    if (!(await lookAt(waiter.sid, options)).needsRunner) await places.removeWaiter(waiter, options)
  }

  /** Reports an error instead of throwing it, so that the other sessions are still checked. */
  async function reported(check: Promise<void>): Promise<void> {
    try {
      await check
    } catch (error) {
      options.signal.throwIfAborted()
      report(error)
    }
  }

  for (const place of held.filter(({ at }) => now - at >= LISTED_WITHIN_MS)) {
    yield* grantsOf((onGranted) => reported(checkPlace(place, { onGranted, ...options })))
  }
  let count = 0
  for await (const waiter of places.waiting(options)) {
    await reported(checkWaiting(waiter))
    if (++count === MAX_COUNTED) break
  }
  yield* grantsOf((onGranted) => places.grantFree({ onGranted, ...options }))
}
