import type { Records, StoredRecord } from "@switchyard/core/storage/records"
import * as z from "zod"

/** A session's request for a runner slot. */
export interface Ask {
  sid: string
  owner: string
  /** Time of the request in Unix milliseconds, by the clock of the function that received it. */
  at: number
}

/** A session in the queue. */
export interface Waiter extends Ask {
  /** Sort key, which is the place in the order. */
  sort: string
  version: number
}

/** The queue for runner slots. A waiting session is an item, ordered by the time of its request. */
export type RunnerQueue = ReturnType<typeof createRunnerQueue>

/** Largest number of sessions ahead that is counted. Counting more would take too many reads in a long queue. */
export const MAX_COUNTED = 200

const PARTITION = "runner-queue"
/** Waiting sessions that are read at once. A page of DynamoDB is 1 MB, which is far more than most callers need. */
const PAGE = 100
/**
 * Time during which a session's request is remembered, so that the session keeps its place when it asks again. Must be
 * longer than any session waits: the request names the session's item in the queue. After it is forgotten, the session
 * counts as not waiting, and its next request adds a second item. A request is removed once the session has a slot or
 * no longer needs one, so only dead functions leave requests behind for this long.
 */
const REMEMBERED_MS = 30 * 86_400_000
const TIME_DIGITS = 15

const StoredAsk = z.object({ owner: z.string(), at: z.number() })
const StoredWaiter = z.object({ owner: z.string() })

export function createRunnerQueue({ records, clock }: { records: Records; clock: { now(): number } }) {
  async function askOf(sid: string, options: { signal: AbortSignal }) {
    const record = await records.get(askKey(sid), options)
    const { at, owner } = record ? StoredAsk.parse(record.value) : { at: Number.NEGATIVE_INFINITY, owner: "" }
    const ask = clock.now() - at < REMEMBERED_MS ? { sid, owner, at } : undefined
    return { ask, version: record?.version }
  }

  /** Returns the session's request. Stores this one if there is no earlier request. */
  async function remember(ask: Ask, options: { signal: AbortSignal }): Promise<Ask> {
    for (;;) {
      const earlier = await askOf(ask.sid, options)
      if (earlier.ask) return earlier.ask
      const { owner, at } = ask
      const condition = earlier.version === undefined ? { ifAbsent: true as const } : { ifVersion: earlier.version }
      const expiresAt = Math.ceil((clock.now() + REMEMBERED_MS) / 1000)
      const written = await records.put(
        askKey(ask.sid),
        { value: { owner, at } },
        { ...condition, expiresAt, ...options },
      )
      if (written !== undefined) return ask
    }
  }

  /** Forgets when the session asked. Its next request is a new one. */
  async function forget(sid: string, options: { signal: AbortSignal }): Promise<void> {
    await records.remove(askKey(sid), options)
  }

  /** Removes the session from the queue, and forgets when it asked. */
  async function remove({ sid, sort }: { sid: string; sort: string }, options: { signal: AbortSignal }): Promise<void> {
    await records.remove({ partition: PARTITION, sort }, options)
    await forget(sid, options)
  }

  async function* inOrder({ to, signal }: { to?: string; signal: AbortSignal }): AsyncGenerator<Waiter> {
    let from: string | undefined
    for (;;) {
      const range = { ...(from && { from }), ...(to && { to }), limit: PAGE, signal }
      const page = await Array.fromAsync(records.range(PARTITION, range))
      yield* page.filter(({ key }) => key.sort !== from).map(toWaiter)
      if (page.length < PAGE) return
      from = page.at(-1)?.key.sort
    }
  }

  return {
    /** Adds the session to the queue. A session that asks again keeps its place. */
    async join(ask: Ask, options: { signal: AbortSignal }): Promise<Waiter> {
      const first = await remember({ ...ask, at: Math.min(ask.at, clock.now()) }, options)
      const sort = sortOf(first)
      const key = { partition: PARTITION, sort }
      await records.put(key, { value: { owner: first.owner } }, { ifAbsent: true, ...options })
      return { ...first, sort, version: 1 }
    },

    /** Removes the session from the queue, and forgets when it asked. */
    async leave(sid: string, options: { signal: AbortSignal }): Promise<void> {
      const { ask } = await askOf(sid, options)
      if (!ask) return
      await remove({ sid, sort: sortOf(ask) }, options)
    },

    remove,

    forget,

    /**
     * Removes a session from the queue because it gets a slot. Of several grants to a session, only one succeeds. If no
     * launch uses the slot, the session keeps its place when it asks again. False may follow a lost reply.
     */
    claim({ sort, version }: Waiter, options: { signal: AbortSignal }): Promise<boolean> {
      return records.remove({ partition: PARTITION, sort }, { ifVersion: version, ...options })
    },

    /** Yields the waiting sessions in order, up to and including `to`. Not a snapshot. */
    inOrder,

    /** True if the session is in the queue. */
    async has(sid: string, options: { signal: AbortSignal }): Promise<boolean> {
      const { ask } = await askOf(sid, options)
      return (
        ask !== undefined && (await records.get({ partition: PARTITION, sort: sortOf(ask) }, options)) !== undefined
      )
    },

    /**
     * Returns the number of sessions ahead of this one, or `MAX_COUNTED` if there are more. Undefined if the session
     * isn't in the queue.
     */
    async before(sid: string, options: { signal: AbortSignal }): Promise<number | undefined> {
      const { ask } = await askOf(sid, options)
      if (!ask) return undefined
      let before = 0
      for await (const waiter of inOrder({ to: sortOf(ask), ...options })) {
        if (waiter.sid === sid) return before
        before++
        if (before >= MAX_COUNTED) return before
      }
      return undefined
    },
  }
}

/** Partition of a session's request. Each session has its own, so requests don't slow down each other. */
function askKey(sid: string) {
  return { partition: `runner-ask/${sid}`, sort: "ask" }
}

function sortOf({ at, sid }: { at: number; sid: string }): string {
  return `${String(Math.max(0, Math.floor(at))).padStart(TIME_DIGITS, "0")}/${sid}`
}

function toWaiter({ key: { sort }, value, version }: StoredRecord): Waiter {
  const at = Number(sort.slice(0, TIME_DIGITS))
  return { sid: sort.slice(TIME_DIGITS + 1), at, owner: StoredWaiter.parse(value).owner, sort, version }
}
