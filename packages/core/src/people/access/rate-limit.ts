import * as z from "zod"
import type { Records } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"

/** A number of actions a minute for each caller. */
export interface Rate {
  /** Says what is counted. */
  name: string
  perMinute: number
}

/** Takes one from what `who` may still do: 0 if there was one, else the seconds until there is. */
export type TakeTurn = (rate: Rate, who: string, options: { signal?: AbortSignal }) => Promise<number>

/**
 * A bucket for each who does something: full at first, one turn poorer with each call, full again after a minute of
 * rest. Buckets are records, so that every server counts the same.
 *
 * A store that can't be asked lets nobody through: what is limited couldn't be done without it either.
 */
export function createRateLimit({ records, clock }: { records: Records; clock: Clock }): TakeTurn {
  return async ({ name, perMinute }, who, { signal }) => {
    const key = { partition: `rate/${name}/${who}`, sort: "bucket" }
    // A caller that loses so many races has seen as many others get through.
    for (let attempt = 0; attempt <= perMinute; attempt++) {
      const record = await records.get(key, { signal })
      const now = clock.now()
      const left = leftIn(record && Bucket.parse(record.value), perMinute, now)
      if (left < 1) return Math.ceil(((1 - left) * 60) / perMinute)

      const condition = record ? { ifVersion: record.version } : { ifAbsent: true as const }
      const expiresAt = Math.ceil(now / 1000) + 120
      const value: Bucket = { left: left - 1, at: now }
      // A reply that was lost looks like a race that was, and then one turn is taken twice. It comes back in time.
      if (await records.put(key, { value }, { ...condition, expiresAt, signal })) return 0
    }
    return 1
  }
}

const Bucket = z.object({ left: z.number(), at: z.number() })
type Bucket = z.infer<typeof Bucket>

function leftIn(bucket: Bucket | undefined, perMinute: number, now: number): number {
  if (!bucket) return perMinute
  const refilled = (Math.max(0, now - bucket.at) / 60_000) * perMinute
  return Math.min(perMinute, bucket.left + refilled)
}
