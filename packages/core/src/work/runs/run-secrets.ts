import type { Records } from "../../storage/records.ts"
import type { Sealer } from "../../storage/sealing.ts"
import type { RunIndex } from "./run-index.ts"

/** Model keys that callers sent with runs. A key is stored encrypted while its run is active, for at most a week. */
export type RunSecrets = ReturnType<typeof createRunSecrets>

/** Returns the key that the caller sent with a run, if any. */
export type CallerKey = (runId: string, options: { signal?: AbortSignal }) => Promise<string | undefined>

const A_WEEK_SECONDS = 7 * 86_400

export function createRunSecrets(records: Records, sealer: Sealer, now: () => number) {
  const keyOf = (runId: string) => ({ partition: "run-keys", sort: runId })
  return {
    async store(owner: string, runId: string, apiKey: string, { signal }: { signal?: AbortSignal }): Promise<void> {
      const bytes = sealer.seal(owner, `run/${runId}`, apiKey)
      const expiresAt = Math.ceil(now() / 1000) + A_WEEK_SECONDS
      await records.put(keyOf(runId), { value: {}, bytes }, { expiresAt, signal })
    },
    async get(owner: string, runId: string, { signal }: { signal?: AbortSignal }): Promise<string | undefined> {
      const record = await records.get(keyOf(runId), { signal })
      return record?.bytes && sealer.open(owner, `run/${runId}`, record.bytes)
    },
    async erase(runId: string, { signal }: { signal?: AbortSignal }): Promise<void> {
      await records.remove(keyOf(runId), { signal })
    },
  }
}

/**
 * Creates a function that reads a run's key. It looks up the run's owner in the index, because a key can be decrypted
 * only for its owner.
 */
export function createCallerKey({ index, keys }: { index: RunIndex; keys: RunSecrets }): CallerKey {
  return async (runId, options) => {
    const ref = await index.get(runId, options)
    return ref && keys.get(ref.owner, runId, options)
  }
}
