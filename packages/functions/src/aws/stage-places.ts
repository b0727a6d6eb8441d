import { createPatientRecords, type PatientDeps } from "@switchyard/core/storage/retrying-stores"
import type { Clock } from "@switchyard/core/time"
import { createChangePlace } from "./change-place.ts"
import { createPlaceGrants, type GrantOptions } from "./place-grants.ts"
import { freePlace, type HeldPlace, type Place, readPlaces } from "./place-records.ts"
import { heldPlaces, inTheWay, type PlaceLimits, type SessionTask } from "./place-rules.ts"
import { createRunnerQueue, MAX_COUNTED } from "./runner-queue.ts"
import { createSuspendedTasks } from "./suspended-tasks.ts"

/** Slots for a stage's runners, shared by all functions. The code calls them places. */
export type StagePlaces = ReturnType<typeof createStagePlaces>

interface QueueDeps extends PatientDeps {
  clock: Pick<Clock, "now" | "sleep">
}

export interface StagePlacesDeps extends QueueDeps {
  limits: PlaceLimits
}

type Options = { signal: AbortSignal }

/** Returns the number of sessions ahead of this one in the queue, or undefined if it isn't waiting. */
export function waitingBefore(deps: QueueDeps, sid: string, options: Options): Promise<number | undefined> {
  return openQueue(deps).before(sid, options)
}

/** True if the session is in the queue, so its launch needn't be repeated. */
export function isQueued(deps: QueueDeps, sid: string, options: Options): Promise<boolean> {
  return openQueue(deps).has(sid, options)
}

/** True if any slot is in use or any session is waiting for one. */
export async function isInUse(deps: QueueDeps, options: Options): Promise<boolean> {
  const records = createPatientRecords(deps)
  if ((await readPlaces(records, options)).some(({ sid }) => sid !== null)) return true
  for await (const _ of openQueue(deps).inOrder(options)) return true
  return false
}

function openQueue(deps: QueueDeps) {
  return createRunnerQueue({ records: createPatientRecords(deps), clock: deps.clock })
}

export function createStagePlaces(deps: StagePlacesDeps) {
  const { clock, limits } = deps
  const records = createPatientRecords(deps)
  const queue = createRunnerQueue({ records, clock })
  const suspended = createSuspendedTasks(records)
  const changePlace = createChangePlace({ records, clock })
  const { take, grantFree } = createPlaceGrants({ records, clock, limits, queue, changePlace })
  const free = (): Place => freePlace(clock.now())

  async function held(options: Options): Promise<HeldPlace[]> {
    return heldPlaces(await readPlaces(records, options), clock.now())
  }

  /** True if a waiting session could get the slot of this task. */
  async function isAwaited(task: string, options: Options): Promise<boolean> {
    const all = await held(options)
    let count = 0
    for await (const waiter of queue.inOrder(options)) {
      const tasks = inTheWay(all, waiter, { ahead: [], perOwner: limits.perOwner })
      if (tasks.some((one) => one.task === task)) return true
      if (++count === MAX_COUNTED) break
    }
    return false
  }

  return {
    take,
    grantFree,

    /** Sends requests to give up a slot, and records them. A task whose request failed is asked again. */
    async askToYield(tasks: SessionTask[], ask: (holder: SessionTask) => Promise<void>, options: Options) {
      await Promise.all(
        tasks.map(async (holder) => {
          await ask(holder)
          await changePlace(
            ({ sid, task }) => sid === holder.sid && task === holder.task,
            (place) => ({ ...place, asked: true }),
            options,
          )
        }),
      )
    },

    /**
     * Records the task that uses the session's slot. The slot becomes free when the task stops or, if it `parks`, is
     * suspended. Returns true if another session is waiting for this slot.
     */
    async note(sid: string, task: string, { parks = false, ...options }: { parks?: boolean; signal: AbortSignal }) {
      const noted = { task, parks, used: true, begins: false, asked: false }
      const before = await changePlace(
        (place) => place.sid === sid,
        (place) => ({ ...place, ...noted, at: clock.now() }),
        options,
      )
      if (parks) await suspended.remove(sid, options)
      return before !== undefined && (await isAwaited(task, options))
    },

    /**
     * Frees the slot of a task that has stopped, unless the session's next task is about to start. Returns the sessions
     * that got a slot.
     */
    async taskStopped(task: string, options: GrantOptions): Promise<string[]> {
      const stopped = await changePlace(
        (place) => place.task === task,
        (place) => (place.begins ? { ...place, task: null } : free()),
        options,
      )
      return stopped && !stopped.begins ? grantFree({ freed: stopped.slot, ...options }) : []
    },

    /**
     * Gives up the session's slot, unless a different task is using it. Returns the sessions that got a slot. `unused`:
     * only gives up a slot that no launch has used.
     */
    async release(
      sid: string,
      task: string | undefined,
      { unused = false, ...options }: { unused?: boolean } & GrantOptions,
    ): Promise<string[]> {
      const isOwn = (place: HeldPlace) =>
        place.sid === sid && (place.task === null || place.task === task) && !(unused && place.used)
      const freed = await changePlace(isOwn, free, options)
      return freed ? grantFree({ freed: freed.slot, ...options }) : []
    },

    /**
     * Removes the session from the queue. If another worker's launch has taken a slot for the session, keeps that slot.
     */
    leaveQueue: queue.leave,

    /** Removes this item from the queue, even if the session's request was forgotten. Forgets the request, too. */
    removeWaiter: queue.remove,

    /** Returns the slots that sessions have. */
    held,

    /** Yields the waiting sessions in order. */
    waiting: (options: Options) => queue.inOrder(options),

    /** Returns the running tasks that have a slot and can be suspended, and the suspended tasks. */
    async parking(options: Options): Promise<{ running: SessionTask[]; suspended: SessionTask[] }> {
      const running = (await held(options)).flatMap(({ sid, task, parks }) =>
        task !== null && parks ? [{ sid, task }] : [],
      )
      return { running, suspended: await suspended.all(options) }
    },

    /** Records that the session's task was suspended, which frees its slot. Returns the sessions that got a slot. */
    async noteSuspended({ sid, task }: SessionTask, options: GrantOptions): Promise<string[]> {
      await suspended.add({ sid, task }, options)
      const freed = await changePlace((place) => place.sid === sid && place.task === task, free, options)
      if (freed) return grantFree({ freed: freed.slot, ...options })
      await suspended.remove(sid, options)
      return []
    },

    /** Removes suspended tasks that have stopped. */
    forget: suspended.forget,
  }
}

/** Returns true if any of the stage's tasks is suspended or can be. */
export async function mayPark(deps: QueueDeps, options: Options): Promise<boolean> {
  const records = createPatientRecords(deps)
  const suspended = await createSuspendedTasks(records).all(options)
  return suspended.length > 0 || (await readPlaces(records, options)).some(({ sid, parks }) => sid !== null && parks)
}
