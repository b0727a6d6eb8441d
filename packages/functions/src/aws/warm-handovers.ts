import type { Records } from "@switchyard/core/storage/records"
import { createPatientRecords } from "@switchyard/core/storage/retrying-stores"
import type { Clock } from "@switchyard/core/time"
import * as z from "zod"

/** Attempt to start a session's runner. */
export const WarmLaunch = z.object({ sid: z.string(), generation: z.int(), attempt: z.int() })
export type WarmLaunch = z.infer<typeof WarmLaunch>

/** A session that was handed over to a runner that had waited for one. */
const Handover = z.object({
  launch: WarmLaunch,
  /** Hash of the secret that the runner presents. */
  proof: z.string(),
  executor: z.string(),
  task: z.string(),
  /** Session settings, sealed. */
  sealed: z.string(),
})
type Handover = z.infer<typeof Handover>

/** Time during which the runner can get its session again, for example after a lost response. */
const KEPT_MS = 86_400_000

/** Creates the store of handovers. Each has an item of its own, because runners may get many sessions at once. */
export function createWarmHandovers(deps: { records: Records; clock: Pick<Clock, "now" | "sleep"> }) {
  const { clock } = deps
  const records = createPatientRecords(deps)

  async function find(id: string, options: { signal: AbortSignal }): Promise<Handover | undefined> {
    const record = await records.get(keyOf(id), options)
    return record && Handover.parse(record.value)
  }

  return {
    find,
    /** Stores the runner's handover, unless it has one. Returns the handover that it has. */
    async decide(
      id: string,
      offer: Handover | undefined,
      options: { signal: AbortSignal },
    ): Promise<Handover | undefined> {
      const expiresAt = Math.ceil((clock.now() + KEPT_MS) / 1000)
      if (offer) await records.put(keyOf(id), { value: offer }, { ifAbsent: true, expiresAt, ...options })
      return find(id, options)
    },
  }
}

function keyOf(id: string): { partition: string; sort: string } {
  return { partition: `warm-handover/${id}`, sort: "session" }
}
