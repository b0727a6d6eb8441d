import { createHash } from "node:crypto"
import type { WarmAnswer, WarmTicket } from "@switchyard/core/agents/runner/warm-schema"
import type { Records } from "@switchyard/core/storage/records"
import type { Clock } from "@switchyard/core/time"
import * as z from "zod"
import { ecsTaskIdOf } from "./executor-name.ts"
import { createSharedRecord } from "./shared-record.ts"
import { createWarmHandovers, WarmLaunch } from "./warm-handovers.ts"

const PoolPlace = z.object({
  id: z.string(),
  /** Hash of the secret that this slot's runner presents. */
  proof: z.string(),
  definition: z.string(),
  at: z.number(),
  task: z.string().nullable(),
  /** First runner that presented the ticket. No other runner gets an answer. */
  executor: z.string().nullable(),
  /** Launch that took the runner. */
  launch: WarmLaunch.nullable(),
  takenAt: z.number(),
  /** Always null. Earlier versions kept runners here after they had got a session, with its settings. */
  sealed: z.string().nullable(),
  /** True if the runner should exit. */
  leaves: z.boolean(),
})
type PoolPlace = z.infer<typeof PoolPlace>

const Pool = z.object({
  places: z.array(PoolPlace).transform((places) => places.filter(({ sealed }) => sealed === null)),
  checkedAt: z.number(),
})

/** Desired number of waiting runners, and their task definition. */
export interface WarmGoal {
  count: number
  definition: string
}

/** Slots to start a task for, and tasks to stop. */
export interface WarmChanges {
  start: string[]
  stop: string[]
}

/**
 * Record of the waiting runners, in a partition that runners can't write to. It is small, because runners leave it when
 * they get a session.
 */
const KEY = { partition: "warm-runners", sort: "all" }

/** Time limit for a runner's first request. After that, it is assumed that the runner never starts. */
const BEGUN_WITHIN_MS = 10 * 60_000
/**
 * Time limit for a launch that took a runner to hand it a session. After that, the runner exits. No worker lives this
 * long, so the launch can't hand over a session later.
 */
const LAUNCHED_WITHIN_MS = 20 * 60_000
/** Maximum age of a waiting runner, because AWS retires old machines without notice. */
const OLDEST_MS = 24 * 3_600_000
/** Interval between checks of waiting tasks. */
const CHECK_EVERY_MS = 5 * 60_000

/**
 * Creates the pool of a stage's runners that wait for a session. Each runner is started ahead of time, assigned to one
 * launch, and then replaced.
 */
export function createWarmPool(deps: { records: Records; clock: Pick<Clock, "now" | "sleep"> }) {
  const { records, clock } = deps
  const handovers = createWarmHandovers(deps)
  const { read, change } = createSharedRecord(
    { records, clock },
    { key: KEY, schema: Pool, empty: { places: [], checkedAt: 0 } },
  )

  async function changePlace(
    id: string,
    to: (place: PoolPlace) => PoolPlace | undefined,
    options: { signal: AbortSignal },
  ) {
    const { places } = await change((pool) => {
      const place = pool.places.find((one) => one.id === id)
      const next = place && to(place)
      return next === place
        ? pool
        : { ...pool, places: pool.places.flatMap((one) => (one === place ? (next ?? []) : one)) }
    }, options)
    return places.find((one) => one.id === id)
  }

  return {
    /**
     * Takes a waiting runner for this launch. Repeating the call returns the same runner. Returns undefined if no
     * runner is waiting.
     */
    async take(
      launch: WarmLaunch,
      definition: string,
      options: { signal: AbortSignal },
    ): Promise<{ id: string; task: string } | undefined> {
      const { places } = await change((pool) => {
        if (pool.places.some((one) => isOf(one, launch))) return pool
        const free = pool.places.find((one) => isFree(one) && one.executor !== null && one.definition === definition)
        if (!free) return pool
        const taken = { ...free, launch, takenAt: clock.now() }
        return { ...pool, places: pool.places.map((one) => (one === free ? taken : one)) }
      }, options)
      const place = places.find((one) => isOf(one, launch))
      return place?.task != null ? { id: place.id, task: place.task } : undefined
    },

    /** Returns an unused runner to the pool. */
    async giveBack(id: string, launch: WarmLaunch, options: { signal: AbortSignal }): Promise<void> {
      const back = (place: PoolPlace) => (isOf(place, launch) ? { ...place, launch: null } : place)
      await changePlace(id, back, options)
    },

    /**
     * Hands a session's sealed settings to the runner that the launch took. Only the first handover counts. Returns the
     * runner's task, or undefined if the launch has lost the runner.
     */
    async handOver(
      id: string,
      launch: WarmLaunch,
      sealed: Uint8Array,
      options: { signal: AbortSignal },
    ): Promise<string | undefined> {
      const place = (await read(options)).places.find((one) => one.id === id)
      const { proof, executor, task } = place ?? {}
      const isReady = place && isOf(place, launch) && !place.leaves && proof && executor && task
      const offer = isReady
        ? { launch, proof, executor, task, sealed: Buffer.from(sealed).toString("base64") }
        : undefined
      const handover = await handovers.decide(id, offer, options)
      if (!handover || !isSame(handover.launch, launch)) return undefined
      await changePlace(id, () => undefined, options)
      return handover.task
    },

    /** Answers a waiting runner. A ticket only works for the first runner that presents it. */
    async ask(
      { id, secret }: WarmTicket,
      executor: string,
      options: { signal: AbortSignal },
    ): Promise<WarmAnswer["warm"]> {
      const known = (await read(options)).places.find((one) => one.id === id)
      if (!known || known.launch !== null) {
        const handover = await handovers.find(id, options)
        const isIts = handover?.proof === proofOf(secret) && handover.executor === executor
        if (handover) return isIts ? { now: "serve", sealed: handover.sealed } : { now: "leave" }
      }
      if (!known || known.proof !== proofOf(secret)) return { now: "leave" }
      const begun = { executor, task: ecsTaskIdOf(executor) }
      const bound = (place: PoolPlace) => (place.executor === null && !place.leaves ? { ...place, ...begun } : place)
      const place = known.executor === null ? await changePlace(id, bound, options) : known
      if (place?.executor !== executor) return { now: "leave" }
      return { now: place.leaves ? "leave" : "wait" }
    },

    /** Returns the tasks of all slots. */
    async tasks(options: { signal: AbortSignal }): Promise<string[]> {
      return (await read(options)).places.flatMap(({ task }) => task ?? [])
    },

    /** Returns true if a task must be started, stopped or checked. */
    async isDue(count: number, options: { signal: AbortSignal }): Promise<boolean> {
      const { places, checkedAt } = await read(options)
      const isSettled = (one: PoolPlace) => isFree(one) && one.executor !== null
      if (places.length !== count || !places.every(isSettled)) return true
      return places.length > 0 && Math.abs(clock.now() - checkedAt) > CHECK_EVERY_MS
    },

    /**
     * Creates missing slots, never more than the goal. Marks runners that should exit: excess runners, old ones, those
     * with another task definition, and those of failed launches. `newTicket` creates the ticket for a slot; `gone`
     * lists tasks that have stopped.
     */
    async adjust(
      { count, definition }: WarmGoal,
      { gone, newTicket }: { gone: string[]; newTicket: () => WarmTicket },
      options: { signal: AbortSignal },
    ): Promise<WarmChanges> {
      const now = clock.now()
      const handedOver = new Set<string>()
      for (const { id, launch } of (await read(options)).places) {
        if (launch !== null && (await handovers.find(id, options))) handedOver.add(id)
      }
      const { places } = await change((before) => {
        const left = before.places
          .filter((one) => !handedOver.has(one.id) && !isOver(one, gone))
          .map((one) => (isOutdated(one, { now, definition }) ? { ...one, leaves: true } : one))
        const kept = withoutExcess(left, count)
        const missing = Math.max(0, count - kept.length)
        const added = Array.from({ length: missing }, () => newPlace(newTicket(), { definition, at: now }))
        return { places: [...kept, ...added], checkedAt: now }
      }, options)
      return {
        start: places.filter(({ task, leaves }) => task === null && !leaves).map(({ id }) => id),
        stop: places.flatMap(({ task, leaves }) => (leaves && task !== null ? [task] : [])),
      }
    },

    /** Records a slot's task, unless its runner has already reported it. */
    async note(id: string, task: string, options: { signal: AbortSignal }): Promise<void> {
      await changePlace(id, (place) => (place.task === null ? { ...place, task } : place), options)
    },

    /** Removes a slot whose task has stopped or can't be started. */
    async forget(id: string, options: { signal: AbortSignal }): Promise<void> {
      await changePlace(id, () => undefined, options)
    },
  }
}

function newPlace({ id, secret }: WarmTicket, { definition, at }: { definition: string; at: number }): PoolPlace {
  return {
    ...{ id, proof: proofOf(secret), definition, at, takenAt: 0, leaves: false },
    ...{ task: null, executor: null, launch: null, sealed: null },
  }
}

function isOf({ launch }: PoolPlace, other: WarmLaunch): boolean {
  return launch !== null && isSame(launch, other)
}

function isSame(one: WarmLaunch, other: WarmLaunch): boolean {
  return one.sid === other.sid && one.generation === other.generation && one.attempt === other.attempt
}

function isFree({ launch, leaves }: PoolPlace): boolean {
  return launch === null && !leaves
}

/**
 * Returns true if the slot can be removed. If its runner only starts after the removal, it finds no slot and exits.
 */
function isOver({ task, leaves }: PoolPlace, gone: string[]): boolean {
  return task === null ? leaves : gone.includes(task)
}

function isOutdated(place: PoolPlace, { now, definition }: { now: number; definition: string }): boolean {
  if (place.launch !== null) return now - place.takenAt > LAUNCHED_WITHIN_MS
  const beginsLate = place.executor === null && now - place.at > BEGUN_WITHIN_MS
  return beginsLate || place.definition !== definition || now - place.at > OLDEST_MS
}

/** Marks excess runners to exit: first those that haven't started, then the oldest. */
function withoutExcess(places: PoolPlace[], count: number): PoolPlace[] {
  const excess = places.filter(({ leaves }) => !leaves).length - count
  if (excess <= 0) return places
  const free = places
    .filter(isFree)
    .sort((a, b) => Number(a.executor !== null) - Number(b.executor !== null) || a.at - b.at)
  const leaving = new Set(free.slice(0, excess))
  return places.flatMap((one) => {
    if (!leaving.has(one)) return one
    return one.task === null ? [] : { ...one, leaves: true }
  })
}

function proofOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url")
}
