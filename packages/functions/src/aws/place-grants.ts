import { AppError } from "@switchyard/core/errors"
import type { Records } from "@switchyard/core/storage/records"
import type { ChangePlace } from "./change-place.ts"
import { createOwnerShares } from "./owner-shares.ts"
import {
  freePlace,
  type HeldPlace,
  type Place,
  putPlace,
  readPlace,
  readPlaces,
  type StoredPlace,
} from "./place-records.ts"
import {
  heldPlaces,
  inTheWay,
  type PlaceLimits,
  type SessionTask,
  type Vacancies,
  type Vacancy,
  vacancies,
} from "./place-rules.ts"
import { type Ask, MAX_COUNTED, type RunnerQueue, type Waiter } from "./runner-queue.ts"

export interface PlaceGrantsDeps {
  records: Records
  clock: { now(): number }
  limits: PlaceLimits
  queue: RunnerQueue
  changePlace: ChangePlace
}

/** A session's position in the queue. */
export interface Queued {
  /** Number of sessions ahead, at most `MAX_COUNTED`. */
  before: number
  /** Tasks to ask for their slot. */
  inTheWay: SessionTask[]
}

type Options = { signal: AbortSignal }

/** `onGranted` receives each session that got a slot, even if the function then fails. */
export type GrantOptions = Options & { onGranted?: (sid: string) => void }

/** Attempts to get or give a slot. Each failed attempt means that another function has just given one. */
const ATTEMPTS = 100

/**
 * Creates functions that give slots to sessions. No function decides alone: a slot is given by one conditional put, and
 * a session leaves the queue by one conditional removal. So a slot has one session, and a session one slot.
 */
export function createPlaceGrants(deps: PlaceGrantsDeps) {
  const { records, clock, limits, queue } = deps
  const occupy = createOccupy(deps)

  /**
   * Gives free slots to waiting sessions in queue order, and returns these sessions. Each must be launched within a
   * minute, or loses its slot. If it throws, only `onGranted` has heard of the slots given before. `freed`: doesn't give away other slots that have just been freed. The functions that freed
   * them do the same.
   */
  async function grantFree({ freed, onGranted, ...options }: { freed?: string } & GrantOptions): Promise<string[]> {
    const granted: string[] = []
    const atLimit = new Set<string>()
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const places = await readPlaces(records, options)
      const held = heldPlaces(places, clock.now())
      const offers = await nextOffers(places, atLimit, options)
      const isOwn = ({ place }: { place: Vacancy }) => place.slot === freed
      // If there are more free slots than sessions, the freed slot may not be among the offers.
      const own = offers.some(isOwn) ? offers.filter((offer) => isOwn(offer) || !offer.place.isFresh) : offers
      let isLost = false
      for (const { waiter, place } of own) {
        const outcome = await occupy(place, waiter, { used: false, held }, options)
        if (outcome === "over the limit") atLimit.add(waiter.owner)
        if (outcome === "taken" && (await isOnlyGrant(waiter, place.slot, options))) {
          granted.push(waiter.sid)
          onGranted?.(waiter.sid)
        } else isLost = true
      }
      if (!isLost) break
    }
    return granted
  }

  async function nextOffers(places: StoredPlace[], atLimit: ReadonlySet<string>, options: Options) {
    const vacant = vacancies(places, limits, clock.now())
    const offers: { waiter: Waiter; place: Vacancy }[] = []
    if (vacant.isFull()) return offers
    for await (const waiter of queue.inOrder(options)) {
      const place = atLimit.has(waiter.owner) ? undefined : vacant.offer(waiter)
      if (place) offers.push({ waiter, place })
      if (vacant.isFull()) break
    }
    return offers
  }

  /**
   * Removes a session that got this slot from the queue. Frees the slot and returns false if another function gave the
   * session another slot at the same time.
   */
  async function isOnlyGrant(waiter: Waiter, slot: string, options: Options): Promise<boolean> {
    if (await queue.claim(waiter, options)) return true
    const held = heldPlaces(await readPlaces(records, options), clock.now())
    if (!held.some((place) => place.sid === waiter.sid && place.slot !== slot)) return true
    const isOwn = (place: HeldPlace) => place.slot === slot && place.sid === waiter.sid && place.task === null
    await deps.changePlace(isOwn, () => freePlace(clock.now()), options)
    return false
  }

  /** Reserves slots for the sessions ahead, so that they get theirs. Returns these sessions. */
  async function offerToEarlier(own: Waiter, vacant: Vacancies, options: Options): Promise<{ owner: string }[]> {
    const ahead: { owner: string }[] = []
    for await (const waiter of queue.inOrder({ to: own.sort, ...options })) {
      if (waiter.sid === own.sid || (vacant.isFull() && ahead.length >= MAX_COUNTED)) break
      vacant.offer(waiter)
      ahead.push(waiter)
    }
    return ahead
  }

  /** Marks that the session's next task is about to start. The end of its last task then doesn't free the slot. */
  async function begin(sid: string, options: Options): Promise<boolean> {
    const begun = (place: HeldPlace) => (place.begins ? place : { ...place, used: true, begins: true, at: clock.now() })
    return (await deps.changePlace((place) => place.sid === sid, begun, options)) !== undefined
  }

  /**
   * Takes a slot for the session, or adds the session to the queue and returns its position. The caller needn't wait for
   * a slot: the function that frees one gives it to the next session. Meanwhile, other sessions may get a slot. Throws
   * `storage_unavailable` if other functions are always faster. The session then stays in the queue, and the next check
   * of the slots gives it one.
   */
  async function take(ask: Ask, { onGranted, ...options }: GrantOptions): Promise<Queued | undefined> {
    const { sid } = ask
    // Join the queue before looking for a slot. A function that frees a slot looks at the queue afterwards. So either
    // this function sees the slot, or that function sees this session.
    const own = await queue.join(ask, options)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const places = await readPlaces(records, options)
      const held = heldPlaces(places, clock.now())
      if (held.some((place) => place.sid === sid)) {
        if (!(await begin(sid, options))) continue
        await queue.remove(own, options)
        return undefined
      }
      const vacant = vacancies(places, limits, clock.now())
      const ahead = await offerToEarlier(own, vacant, options)
      const place = vacant.offer(ask)
      const outcome = place && (await occupy(place, ask, { used: true, held }, options))
      if (!place || outcome === "over the limit") {
        return { before: ahead.length, inTheWay: inTheWay(held, ask, { ahead, perOwner: limits.perOwner }) }
      }
      if (outcome === "lost") continue
      if (await isOnlyGrant(own, place.slot, options)) {
        await queue.forget(sid, options)
        return undefined
      }
      // Others may have been queued because of the slot that was taken in vain.
      await grantFree({ freed: place.slot, onGranted, ...options })
    }
    throw new AppError("storage_unavailable", "Too many runners are being started at once. Try again shortly.")
  }

  return { take, grantFree }
}

/** Creates a function that gives a free slot to a session, if the slot is still free and the owner isn't at the limit. */
function createOccupy({ records, clock, limits }: Pick<PlaceGrantsDeps, "records" | "clock" | "limits">) {
  const shares = limits.perOwner < limits.total ? createOwnerShares({ records, clock }, limits.perOwner) : undefined
  return async function occupy(
    place: Vacancy,
    { sid, owner }: { sid: string; owner: string },
    { used, held }: { used: boolean; held: HeldPlace[] },
    options: Options,
  ): Promise<"taken" | "lost" | "over the limit"> {
    const now = clock.now()
    const { slot } = place
    const grant = (place.version ?? 0) + 1
    if (shares && !(await shares.take(owner, { sid, slot, grant, at: now }, held, options))) return "over the limit"
    const own: Place = { ...freePlace(now), sid, owner, grant, used, begins: used }
    if ((await putPlace(records, place, own, { now, ...options })) !== undefined) return "taken"
    // The reply may have been lost.
    const stored = await readPlace(records, slot, options)
    return stored?.sid === sid && stored.grant === grant && stored.used === used ? "taken" : "lost"
  }
}
