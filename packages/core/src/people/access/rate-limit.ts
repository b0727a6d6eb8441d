import * as z from "zod"
import type { Records } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"

/** Allowed number of actions per minute and key. */
export interface Rate {
  name: string
  perMinute: number
}

/**
 * Token buckets, one per rate and key. They start full and refill within a minute. They are stored as records, so all
 * servers share them. Throws if the store is unavailable, because the limited action would fail too.
 */
export function createRateLimiter({ records, clock }: { records: Records; clock: Clock }) {
  return {
    /**
     * Takes a token from the bucket of `key`. Returns 0 if there was one, or else the number of seconds until one is
     * available.
     */
    async take({ name, perMinute }: Rate, key: string, { signal }: { signal?: AbortSignal }): Promise<number> {
      const bucketKey = { partition: `rate/${name}/${key}`, sort: "bucket" }
      // Give up after losing this many races. By then, a whole minute's worth of other calls has succeeded.
      for (let attempt = 0; attempt <= perMinute; attempt++) {
        const record = await records.get(bucketKey, { signal })
        const now = clock.now()
        const left = refill(record && Bucket.parse(record.value), perMinute, now)
        if (left < 1) return Math.ceil(((1 - left) * 60) / perMinute)

        const condition = record ? { ifVersion: record.version } : { ifAbsent: true as const }
        const expiresAt = Math.ceil(now / 1000) + 120
        const value: Bucket = { left: left - 1, at: now }
        // If the reply is lost, this looks like a lost race and the call takes a second token. The bucket refills
        // anyway.
        if (await records.put(bucketKey, { value }, { ...condition, expiresAt, signal })) return 0
      }
      return 1
    },
  }
}

const Bucket = z.object({ left: z.number(), at: z.number() })
type Bucket = z.infer<typeof Bucket>

function refill(bucket: Bucket | undefined, perMinute: number, now: number): number {
  if (!bucket) return perMinute
  const refilled = (Math.max(0, now - bucket.at) / 60_000) * perMinute
  return Math.min(perMinute, bucket.left + refilled)
}
