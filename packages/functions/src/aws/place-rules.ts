import type { HeldPlace, StoredPlace } from "./place-records.ts"

/** Limits on concurrent runners per stage; `Infinity` for no limit. */
export interface PlaceLimits {
  total: number
  perOwner: number
}

/** Default limit on concurrent runners per stage. Each owner may use half of them. */
const USUAL_RUNNERS = 100

/** Returns the limits for a stage's settings. 0 means no limit. */
export function placeLimits({ total = USUAL_RUNNERS, perOwner }: { total?: number; perOwner?: number }): PlaceLimits {
  const limitOf = (limit: number) => limit || Number.POSITIVE_INFINITY
  return { total: limitOf(total), perOwner: limitOf(perOwner ?? Math.ceil((total || USUAL_RUNNERS) / 2)) }
}

/** A session that needs a slot. */
interface Candidate {
  sid: string
  owner: string
}

/** If no launch uses a slot this long after it was granted, it goes to the next session. */
const USED_WITHIN_MS = 60_000
/** If a worker hasn't started a task this long after it began to, it is presumed dead. */
const BEGUN_WITHIN_MS = 15 * 60_000

/** Returns the slots that sessions have. Omits grants that weren't used in time. */
export function heldPlaces(places: StoredPlace[], now: number): HeldPlace[] {
  return places.filter((place): place is HeldPlace => {
    const { sid, used, task, at } = place
    if (sid === null) return false
    return task !== null || now - at < (used ? BEGUN_WITHIN_MS : USED_WITHIN_MS)
  })
}

/** A free slot. */
export interface Vacancy {
  slot: string
  /** Undefined if the slot was never used. */
  version: number | undefined
  /** True if the slot has just been freed, so that the function that freed it is about to give it away. */
  isFresh: boolean
}

/** Time in which a function that freed a slot gives it away. */
const GIVEN_WITHIN_MS = 5000

/** Slots that are free, to be offered to waiting sessions in queue order. */
export interface Vacancies {
  /** True if no slot is left. */
  isFull(): boolean
  /**
   * Reserves a slot for the session. Returns undefined if no slot is left, if the session has one, or if its owner is
   * at the limit. Such an owner doesn't block other owners.
   */
  offer(session: Candidate): Vacancy | undefined
}

/** Returns the free slots. The first session that is offered a slot gets the lowest one. */
export function vacancies(places: StoredPlace[], { total, perOwner }: PlaceLimits, now: number): Vacancies {
  const held = heldPlaces(places, now)
  const stored = new Map(places.map((place) => [place.slot, place]))
  const served = new Set(held.map(({ sid }) => sid))
  const ofOwner = countBy(held.map(({ owner }) => owner))
  const taken = new Set(held.map(({ slot }) => slot))
  // After the limit was lowered, slots above the limit may still be in use.
  let left = total - held.length
  let number = 0

  function nextSlot(sid: string): string {
    if (total === Number.POSITIVE_INFINITY) return sid
    do number++
    while (taken.has(slotName(number)))
    return slotName(number)
  }

  return {
    isFull: () => left <= 0,
    offer({ sid, owner }) {
      const own = ofOwner.get(owner) ?? 0
      if (left <= 0 || own >= perOwner || served.has(sid)) return undefined
      left--
      ofOwner.set(owner, own + 1)
      served.add(sid)
      const slot = nextSlot(sid)
      const place = stored.get(slot)
      return { slot, version: place?.version, isFresh: place?.sid === null && now - place.at < GIVEN_WITHIN_MS }
    },
  }
}

function slotName(number: number): string {
  return String(number).padStart(5, "0")
}

/**
 * Returns the running tasks whose slots this waiting session could get: only its owner's if the owner is at the limit,
 * otherwise everyone's. Omits tasks that are about to start or were already asked to exit. Returns none if an earlier
 * session in the queue asks the same tasks.
 */
export function inTheWay(
  held: HeldPlace[],
  { owner }: { owner: string },
  { ahead, perOwner }: { ahead: { owner: string }[]; perOwner: number },
): SessionTask[] {
  const ofOwner = countBy(held.map((place) => place.owner))
  const isAtLimit = (name: string) => (ofOwner.get(name) ?? 0) >= perOwner
  const isFirst = !ahead.some((one) => (isAtLimit(owner) ? one.owner === owner : !isAtLimit(one.owner)))
  if (!isFirst) return []
  const holders = isAtLimit(owner) ? held.filter((place) => place.owner === owner) : held
  return holders.flatMap(({ sid, task, begins, asked }) => (task === null || begins || asked ? [] : [{ sid, task }]))
}

export interface SessionTask {
  sid: string
  task: string
}

function countBy(names: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
