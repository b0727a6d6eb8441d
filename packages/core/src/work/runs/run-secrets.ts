import type { Records } from "../../storage/records.ts"
import type { Sealer } from "../../storage/sealing.ts"

/** Model keys that callers sent with a run, sealed beside it while it lives. */
export interface RunKeys {
  keep(owner: string, runId: string, apiKey: string, options: { signal?: AbortSignal }): Promise<void>
  get(owner: string, runId: string, options: { signal?: AbortSignal }): Promise<string | undefined>
  erase(runId: string, options: { signal?: AbortSignal }): Promise<void>
}

const A_WEEK_SECONDS = 7 * 86_400

export function createRunKeys(records: Records, sealer: Sealer, now: () => number): RunKeys {
  const keyOf = (runId: string) => ({ partition: "run-keys", sort: runId })
  return {
    async keep(owner, runId, apiKey, { signal }) {
      const bytes = sealer.seal(owner, `run/${runId}`, apiKey)
      const expiresAt = Math.ceil(now() / 1000) + A_WEEK_SECONDS
      await records.put(keyOf(runId), { value: {}, bytes }, { expiresAt, signal })
    },
    async get(owner, runId, { signal }) {
      const record = await records.get(keyOf(runId), { signal })
      return record?.bytes && sealer.open(owner, `run/${runId}`, record.bytes)
    },
    async erase(runId, { signal }) {
      await records.remove(keyOf(runId), { signal })
    },
  }
}
