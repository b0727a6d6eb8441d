import type { Records } from "@switchyard/core/storage/records"
import { type HeldPlace, type Place, putPlace, readPlaces } from "./place-records.ts"
import { heldPlaces } from "./place-rules.ts"

export type ChangePlace = ReturnType<typeof createChangePlace>

export function createChangePlace({ records, clock }: { records: Records; clock: { now(): number } }) {
  /**
   * Changes the slot that `find` selects, again if another function changed it meanwhile. Returns the slot as it was, or
   * undefined if there is none.
   */
  return async function changePlace(
    find: (place: HeldPlace) => boolean,
    to: (place: HeldPlace) => Place,
    options: { signal: AbortSignal },
  ): Promise<HeldPlace | undefined> {
    let freed: HeldPlace | undefined
    for (;;) {
      const held = heldPlaces(await readPlaces(records, options), clock.now())
      // For a moment, a session may have two slots. The one in use counts.
      const place = held.toSorted((one, other) => Number(other.used) - Number(one.used)).find(find)
      if (!place) return freed
      const next = to(place)
      if (next === place) return place
      // If the reply is lost, the slot is no longer found.
      if (next.sid === null) freed = place
      if ((await putPlace(records, place, next, { now: clock.now(), ...options })) !== undefined) return place
    }
  }
}
