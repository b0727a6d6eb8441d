import * as z from "zod"
import type { Records } from "../../storage/records.ts"

/** A model call in progress. Until it ends, budgets count the maximum that it may use. */
const CallUnderWay = z.object({
  id: z.string(),
  sid: z.string(),
  run_id: z.string(),
  usd: z.number(),
  tokens: z.number(),
  /**
   * Time when the call no longer counts, in Unix milliseconds. Needed because a process that dies doesn't release its
   * calls.
   */
  expires_at: z.number(),
})
export type CallUnderWay = z.infer<typeof CallUnderWay>

const Calls = z.object({ calls: z.array(CallUnderWay) })

/** Calls in progress, as returned by a single read. */
export interface SeenCalls {
  calls: CallUnderWay[]
  version: number | undefined
}

/** Stores calls in progress, in one record per owner, so that two calls can't both claim the same remaining budget. */
export function createReservations({ records, clock }: { records: Records; clock: { now(): number } }) {
  const keyOf = (owner: string) => ({ partition: `settings/${owner}`, sort: "budget-reservations" })

  async function read(owner: string, options: { signal: AbortSignal }): Promise<SeenCalls> {
    const record = await records.get(keyOf(owner), options)
    if (!record) return { calls: [], version: undefined }
    const { calls } = Calls.parse(record.value)
    return { calls: calls.filter(({ expires_at }) => expires_at > clock.now()), version: record.version }
  }

  async function replace(
    owner: string,
    { version }: SeenCalls,
    calls: CallUnderWay[],
    options: { signal: AbortSignal },
  ): Promise<boolean> {
    const condition = version === undefined ? { ifAbsent: true as const } : { ifVersion: version }
    return (await records.put(keyOf(owner), { value: { calls } }, { ...condition, ...options })) !== undefined
  }

  return {
    read,
    /** Adds a call. Returns false if another call was added or removed after `seen` was read. */
    add: (owner: string, seen: SeenCalls, call: CallUnderWay, options: { signal: AbortSignal }): Promise<boolean> =>
      replace(owner, seen, [...seen.calls, call], options),
    async remove(owner: string, id: string, options: { signal: AbortSignal }): Promise<void> {
      for (;;) {
        const seen = await read(owner, options)
        const others = seen.calls.filter((call) => call.id !== id)
        if (seen.version === undefined || others.length === seen.calls.length) return
        if (await replace(owner, seen, others, options)) return
      }
    },
  }
}
