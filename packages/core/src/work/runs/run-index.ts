import * as z from "zod"
import type { Records } from "../../storage/records.ts"

/** Session and owner of a run. Written before the run is created, so the run may not exist. */
export const RunRef = z.object({
  run_id: z.string(),
  owner: z.string(),
  sid: z.string(),
  session_id: z.string(),
  created_at: z.number(),
  /** Repository that was named when the run was started. Runners can't change it here, unlike in their session's log. */
  repository: z.string().optional(),
})
export type RunRef = z.infer<typeof RunRef>

export type RunIndex = ReturnType<typeof createRunIndex>

export function createRunIndex(records: Records) {
  const keyOf = (runId: string) => ({ partition: `run/${runId}`, sort: "ref" })
  return {
    async add(ref: RunRef, { signal }: { signal?: AbortSignal }): Promise<void> {
      await records.put(
        keyOf(ref.run_id),
        { value: ref },
        { listed: { list: `runs/${ref.owner}`, order: ref.run_id }, signal },
      )
    },
    async get(runId: string, { signal }: { signal?: AbortSignal }): Promise<RunRef | undefined> {
      const record = await records.get(keyOf(runId), { signal })
      return record && RunRef.parse(record.value)
    },
    async remove(runId: string, { signal }: { signal?: AbortSignal }): Promise<void> {
      await records.remove(keyOf(runId), { signal })
    },
    /**
     * Removes the entry of a run that was never created. Keeps entries that were added after `before`, because their
     * runs may still be created.
     */
    async removeUnused(runId: string, before: number, { signal }: { signal?: AbortSignal }): Promise<void> {
      const record = await records.get(keyOf(runId), { signal })
      if (!record || RunRef.parse(record.value).created_at >= before) return
      await records.remove(keyOf(runId), { ifVersion: record.version, signal })
    },
    /** Yields the owner's runs, newest first. `before` is the last run ID of the previous page. */
    async *ofOwner(
      owner: string,
      { before, limit, signal }: { before?: string; limit?: number; signal?: AbortSignal },
    ): AsyncGenerator<RunRef> {
      let left = limit ?? Number.POSITIVE_INFINITY
      for await (const { value } of records.byList(`runs/${owner}`, { to: before, reverse: true, signal })) {
        if (value.run_id === before) continue
        if (left-- <= 0) return
        yield RunRef.parse(value)
      }
    },
  }
}
