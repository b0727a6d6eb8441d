import { createHash } from "node:crypto"
import * as z from "zod"
import { AppError } from "../../errors.ts"
import type { Records } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"

/** The ids that were reserved by the first request with a key, so that a repeated one gets the same. */
const Reservation = z.object({ fingerprint: z.string(), run_id: z.string(), session_id: z.string() })
type Reservation = z.infer<typeof Reservation>

const A_DAY_SECONDS = 86_400

/**
 * Reserves the ids of a run under an idempotency key: new ones for the first request, the same for each repeated one, also
 * for concurrent ones. A key that is reused with another body throws `idempotency_conflict`.
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
  // Read back in any case, to distinguish a lost reply from a lost race.
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

/** Whether a request with this key came before. */
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
