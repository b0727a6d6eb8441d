import type { Records } from "@switchyard/core/storage/records"
import * as z from "zod"
import { type HeldPlace, readPlace } from "./place-records.ts"
import { heldPlaces } from "./place-rules.ts"

/** A grant of a slot to one of the owner's sessions. `grant` is the version of the slot's record afterwards. */
const Share = z.object({ sid: z.string(), slot: z.string(), grant: z.int(), at: z.number() })
type Share = z.infer<typeof Share>

/** If a grant isn't stored this long after it took a share, its function is presumed dead. */
const GRANTED_WITHIN_MS = 60_000

/**
 * Enforces the limit of slots per owner. Each owner has numbered shares, and a grant first takes a share. A share is in
 * use as long as its slot belongs to that grant. So nothing has to be done to free a share.
 */
export function createOwnerShares(
  { records, clock }: { records: Records; clock: { now(): number } },
  perOwner: number,
) {
  async function isInUse(share: Share, options: { signal: AbortSignal }): Promise<boolean> {
    const place = await readPlace(records, share.slot, options)
    const now = clock.now()
    const isPending = (place?.version ?? 0) < share.grant
    if (isPending) return now - share.at < GRANTED_WITHIN_MS
    return place !== undefined && isOf(share, heldPlaces([place], now))
  }

  return {
    /**
     * Takes a share for a grant that is about to be stored. `held` are the slots as they were read before. Returns false
     * if the owner is at the limit.
     */
    async take(owner: string, own: Share, held: HeldPlace[], options: { signal: AbortSignal }): Promise<boolean> {
      const partition = `runner-shares/${owner}`
      const stored = new Map(
        await Array.fromAsync(records.range(partition, options), (record) => [record.key.sort, record] as const),
      )
      // Concurrent grants of an owner have different slots. So each begins with another share.
      const first = Number(own.slot) || 0
      for (let index = 0; index < perOwner; index++) {
        const sort = String((first + index) % perOwner).padStart(5, "0")
        const record = stored.get(sort)
        const share = record && Share.parse(record.value)
        if (share && isOf(share, [own])) return true
        if (share && (isOf(share, held) || (await isInUse(share, options)))) continue
        const condition = record ? { ifVersion: record.version } : { ifAbsent: true as const }
        const key = { partition, sort }
        if ((await records.put(key, { value: own }, { ...condition, ...options })) !== undefined) return true
        // The reply may have been lost.
        const now = await records.get(key, options)
        if (now && isOf(Share.parse(now.value), [own])) return true
      }
      return false
    },
  }
}

function isOf(share: Share, grants: Pick<Share, "sid" | "slot" | "grant">[]): boolean {
  return grants.some(({ sid, slot, grant }) => sid === share.sid && slot === share.slot && grant === share.grant)
}
