import { createHash } from "node:crypto"
import * as z from "zod"
import { AppError } from "../../errors.ts"
import type { Records } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"

/** The ids that the first request with a key was promised, so that the next one gets the same. */
const Promised = z.object({ fingerprint: z.string(), run_id: z.string(), session_id: z.string() })
type Promised = z.infer<typeof Promised>

const A_DAY_SECONDS = 86_400

/**
 * The ids for a run that is asked for under an idempotency key: new ones for the first request, the same for each that
 * repeats it, however many come at once. A key that comes back with another body throws `idempotency_conflict`.
 */
export async function promiseRun(
  { records, clock }: { records: Records; clock: Clock },
  request: { owner: string; key: string; body: unknown },
  fresh: { runId: string; sessionId: string },
  { signal }: { signal: AbortSignal },
): Promise<{ runId: string; sessionId: string; repeated: boolean }> {
  const key = { partition: `idempotency/${request.owner}`, sort: hash(request.key) }
  const promised: Promised = {
    fingerprint: hash(JSON.stringify(request.body)),
    run_id: fresh.runId,
    session_id: fresh.sessionId,
  }
  const expiresAt = Math.ceil(clock.now() / 1000) + A_DAY_SECONDS
  await records.put(key, { value: promised }, { ifAbsent: true, expiresAt, signal })
  // Read back in any case: that tells a lost reply from a lost race.
  const standing = Promised.parse((await records.get(key, { signal }))?.value)
  if (standing.fingerprint !== promised.fingerprint) {
    throw new AppError("idempotency_conflict", "This Idempotency-Key came with another request before.")
  }
  return {
    runId: standing.run_id,
    sessionId: standing.session_id,
    repeated: standing.run_id !== promised.run_id,
  }
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}
