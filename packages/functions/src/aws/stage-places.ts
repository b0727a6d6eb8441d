import type { Records } from "@switchyard/core/storage/records"
import type { Clock } from "@switchyard/core/time"
import * as z from "zod"
import { createSharedRecord } from "./shared-record.ts"

/** Limits on concurrent runners per stage; `Infinity` for no limit. */
export interface PlaceLimits {
  total: number
  perOwner: number
}

/** Slots for a stage's runners, shared by all workers. The code calls them places. */
export type StagePlaces = ReturnType<typeof createStagePlaces>

export interface StagePlacesDeps {
  /** Records that are read-only for runners. Otherwise, a runner could claim every slot. */
  records: Records
  clock: Clock
  limits: PlaceLimits
  /** Returns the tasks that have stopped. */
  stopped: (tasks: string[], options: { signal: AbortSignal }) => Promise<string[]>
}

const TakenPlace = z.object({
  sid: z.string(),
  owner: z.string(),
  task: z.string().nullable(),
  /** True if a worker is about to start a task in this slot, either the first one or a later one. */
  begins: z.boolean(),
  at: z.number(),
  /** True if the task was asked to exit once it is idle. */
  asked: z.boolean(),
  /** True if the task can be suspended. */
  parks: z.boolean().default(false),
})
const SessionTask = z.object({ sid: z.string(), task: z.string() })
export type SessionTask = z.infer<typeof SessionTask>
const Waiting = z.object({ sid: z.string(), owner: z.string(), at: z.number() })
const Places = z.object({
  taken: z.array(TakenPlace),
  waiting: z.array(Waiting),
  suspended: z.array(SessionTask).default([]),
})
type Places = z.infer<typeof Places>

/** A single record. One conditional write then decides who gets the last slot. */
const KEY = { partition: "runner-places", sort: "all" }

/** If a worker hasn't started a task this long after taking a slot, it is presumed dead. */
const BEGUN_WITHIN_MS = 15 * 60_000
/**
 * If a session hasn't asked again for this long, it no longer needs a slot. The sweep makes sessions ask every three
 * minutes.
 */
const ASKED_WITHIN_MS = 6 * 60_000

/** Returns the number of sessions ahead of this one in the queue, or undefined if it isn't waiting. */
export async function waitingBefore(
  deps: { records: Records; clock: Pick<Clock, "now" | "sleep"> },
  sid: string,
  options: { signal: AbortSignal },
): Promise<number | undefined> {
  const { waiting } = await openPlaces(deps).read(options)
  return positionIn(
    waiting.filter((one) => isAwaited(one, deps.clock.now())),
    sid,
  )
}

/** Returns true if any of the stage's tasks is suspended or can be. */
export async function mayPark(
  deps: { records: Records; clock: Pick<Clock, "sleep"> },
  options: { signal: AbortSignal },
): Promise<boolean> {
  const { taken, suspended } = await openPlaces(deps).read(options)
  return suspended.length > 0 || taken.some(({ parks }) => parks)
}

export function createStagePlaces({ records, clock, limits, stopped }: StagePlacesDeps) {
  const { read, change } = openPlaces({ records, clock })

  /** Returns the tasks that hold a slot but have stopped. */
  async function stoppedIn(places: Places, options: { signal: AbortSignal }): Promise<ReadonlySet<string>> {
    const tasks = places.taken.flatMap(({ task }) => (task === null ? [] : [task]))
    return new Set(tasks.length > 0 ? await stopped(tasks, options) : [])
  }

  return {
    /**
     * Takes a slot for the session, or adds the session to the queue. Returns the number of sessions ahead in the
     * queue, or undefined if the session has a slot. A session leaves the queue unless this is called every few
     * minutes.
     */
    async take(sid: string, owner: string, options: { signal: AbortSignal }): Promise<number | undefined> {
      const asked = (gone: ReadonlySet<string>) => (places: Places) =>
        withAsked(places, { sid, owner, now: clock.now(), limits, gone })
      const places = await change(asked(new Set()), options)
      if (hasPlace(places, sid)) return undefined
      const gone = await stoppedIn(places, options)
      const after = await change(asked(gone), options)
      return hasPlace(after, sid) ? undefined : positionIn(after.waiting, sid)
    },
    /**
     * Asks sessions to give up their slot if that makes room for this waiting session. Asks each task once, or again if
     * the request may have failed.
     */
    async askToYield(
      sid: string,
      ask: (holder: { sid: string; task: string }) => Promise<void>,
      options: { signal: AbortSignal },
    ): Promise<void> {
      const places = await read(options)
      const holders = inTheWayOf(places, sid, limits)
      if (holders.length === 0) return
      await Promise.all(holders.map(ask))
      const tasks = new Set(holders.map(({ task }) => task))
      const noted = ({ taken, ...rest }: Places) => ({
        taken: taken.map((one) => (one.task !== null && tasks.has(one.task) ? { ...one, asked: true } : one)),
        ...rest,
      })
      await change(noted, options)
    },
    /**
     * Records the task that uses the session's slot. The slot becomes free when the task stops or, if it `parks`, is
     * suspended.
     */
    async note(sid: string, task: string, { parks = false, ...options }: { parks?: boolean; signal: AbortSignal }) {
      const noted = { task, parks, begins: false, asked: false }
      await change(
        (places) => ({
          ...places,
          taken: places.taken.map((one) => (one.sid === sid ? { ...one, ...noted } : one)),
          suspended: places.suspended.filter((one) => one.sid !== sid),
        }),
        options,
      )
    },
    /** Returns the running tasks that have a slot and can be suspended, and the suspended tasks. */
    async parking(options: { signal: AbortSignal }): Promise<{ running: SessionTask[]; suspended: SessionTask[] }> {
      const { taken, suspended } = await read(options)
      const running = taken.flatMap(({ sid, task, parks }) => (task !== null && parks ? [{ sid, task }] : []))
      return { running, suspended }
    },
    /** Records that the session's task was suspended, which frees its slot. */
    async noteSuspended({ sid, task }: SessionTask, options: { signal: AbortSignal }): Promise<void> {
      const isIt = (one: { sid: string; task: string | null }) => one.sid === sid && one.task === task
      const noted = (places: Places) =>
        places.taken.some(isIt)
          ? {
              ...places,
              taken: places.taken.filter((one) => !isIt(one)),
              suspended: [...places.suspended, { sid, task }],
            }
          : places
      await change(noted, options)
    },
    /** Removes suspended tasks that have stopped. */
    async forget(tasks: string[], options: { signal: AbortSignal }): Promise<void> {
      const isKept = ({ task }: SessionTask) => !tasks.includes(task)
      await change((places) => ({ ...places, suspended: places.suspended.filter(isKept) }), options)
    },
    /**
     * Removes the session from the queue. If another worker's launch has taken a slot for the session, keeps that slot.
     */
    async leaveQueue(sid: string, options: { signal: AbortSignal }): Promise<void> {
      const left = (places: Places) => ({ ...places, waiting: places.waiting.filter((one) => one.sid !== sid) })
      await change(left, options)
    },
    /** Gives up the session's slot, unless a different task is using it. */
    async release(sid: string, task: string | undefined, options: { signal: AbortSignal }): Promise<void> {
      const isOthers = (one: Places["taken"][number]) => one.sid !== sid || (one.task !== null && one.task !== task)
      await change((places) => ({ ...places, taken: places.taken.filter(isOthers) }), options)
    },
  }
}

function openPlaces(deps: { records: Records; clock: Pick<Clock, "sleep"> }) {
  return createSharedRecord(deps, { key: KEY, schema: Places, empty: { taken: [], waiting: [], suspended: [] } })
}

function positionIn(waiting: Places["waiting"], sid: string): number | undefined {
  const index = waiting.findIndex((one) => one.sid === sid)
  return index < 0 ? undefined : index
}

/** True if a waiting session is still asking for a slot. */
function isAwaited({ at }: { at: number }, now: number): boolean {
  return now - at < ASKED_WITHIN_MS
}

function hasPlace({ taken }: Places, sid: string): boolean {
  return taken.some((one) => one.sid === sid)
}

/**
 * Returns the running tasks whose slots this waiting session could get: only its owner's if the owner is at the limit,
 * otherwise everyone's. Omits tasks that are about to start or have already been asked to exit.
 */
function inTheWayOf(
  { taken, waiting }: Places,
  sid: string,
  { perOwner }: PlaceLimits,
): { sid: string; task: string }[] {
  const owner = waiting.find((one) => one.sid === sid)?.owner
  if (owner === undefined) return []
  const own = taken.filter((one) => one.owner === owner)
  const holders = own.length >= perOwner ? own : taken
  return holders.flatMap(({ sid, task, begins, asked }) => (task === null || begins || asked ? [] : [{ sid, task }]))
}

interface Asked {
  sid: string
  owner: string
  now: number
  limits: PlaceLimits
  /** Tasks that have stopped. */
  gone: ReadonlySet<string>
}

/**
 * Returns the slots after a session has asked for one. The session is queued behind the waiting sessions, but may
 * overtake sessions whose owners are at their limit.
 */
function withAsked(before: Places, { sid, owner, now, limits, gone }: Asked): Places {
  const taken = before.taken.filter(({ task, begins, at }) => {
    return (begins && now - at < BEGUN_WITHIN_MS) || (task !== null && !gone.has(task))
  })
  const own = taken.find((one) => one.sid === sid)
  // Mark that the session's next task is about to start. The end of its last task then doesn't free the slot.
  if (own)
    return own.begins
      ? before
      : { ...before, taken: taken.map((one) => (one === own ? { ...one, begins: true, at: now } : one)) }
  const known = before.waiting.filter((one) => one.sid === sid || isAwaited(one, now))
  const waiting = known.some((one) => one.sid === sid)
    ? known.map((one) => (one.sid === sid ? { ...one, at: now } : one))
    : [...known, { sid, owner, at: now }]
  // Slots reserved for sessions earlier in the queue stay free until these sessions ask.
  const counted: { owner: string }[] = [...taken]
  for (const one of waiting) {
    const own = counted.filter((other) => other.owner === one.owner).length
    const fits = counted.length < limits.total && own < limits.perOwner
    if (fits) counted.push(one)
    if (one.sid !== sid) continue
    if (!fits) break
    return {
      ...before,
      taken: [...taken, { sid, owner, task: null, begins: true, at: now, asked: false, parks: false }],
      waiting: waiting.filter((other) => other.sid !== sid),
    }
  }
  return { ...before, taken, waiting }
}
