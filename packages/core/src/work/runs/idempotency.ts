import { createHash } from "node:crypto"
import * as z from "zod"
import { AppError } from "../../errors.ts"
import type { Records } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"

/** IDs reserved by the first request with a key, and returned to every repeated request. */
const Reservation = z.object({ fingerprint: z.string(), run_id: z.string(), session_id: z.string() })
type Reservation = z.infer<typeof Reservation>

const A_DAY_SECONDS = 86_400

/**
 * Reserves a run's IDs under an idempotency key for a day. The first request gets new IDs, and all later or concurrent
 * requests get the same IDs. Throws `idempotency_conflict` if the key is reused with a different body.
 */
export async function reserveRunId(
  { records, clock }: { records: Records; clock: Clock },
  request: { owner: string; key: string; body: unknown },
  fresh: { runId: string; sessionId: string },
  { signal }: { signal: AbortSignal },
): Promise<{ runId: string; sessionId: string; repeated: boolean }> {
  const key = { partition: `idempotency/${request.owner}`, sort: hash(request.key) }
  const reservation: Reservation = {
    fingerprint: hash(JSON.stringify(request.body)),
    run_id: fresh.runId,
    session_id: fresh.sessionId,
  }
  const expiresAt = Math.ceil(clock.now() / 1000) + A_DAY_SECONDS
  await records.put(key, { value: reservation }, { ifAbsent: true, expiresAt, signal })
  // Read the record even if the write failed: either another request was faster, or the reply to a successful write was
  // lost.
  const stored = Reservation.parse((await records.get(key, { signal }))?.value)
  if (stored.fingerprint !== reservation.fingerprint) {
    throw new AppError("idempotency_conflict", "This Idempotency-Key was already used for a different request.")
  }
  return {
    runId: stored.run_id,
    sessionId: stored.session_id,
    repeated: stored.run_id !== reservation.run_id,
  }
}

/** Returns true if an earlier request has used this key. */
export async function isReserved(
  { records }: { records: Records },
  { owner, key }: { owner: string; key: string },
  options: { signal: AbortSignal },
): Promise<boolean> {
  return (await records.get({ partition: `idempotency/${owner}`, sort: hash(key) }, options)) !== undefined
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}
