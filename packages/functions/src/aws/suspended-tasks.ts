import type { Records } from "@switchyard/core/storage/records"
import * as z from "zod"
import type { SessionTask } from "./place-rules.ts"

const PARTITION = "runner-suspended"
const Suspended = z.object({ task: z.string() })

/** Creates the list of suspended tasks, which have no slot. */
export function createSuspendedTasks(records: Records) {
  const keyOf = (sid: string) => ({ partition: PARTITION, sort: sid })

  function all(options: { signal: AbortSignal }): Promise<SessionTask[]> {
    return Array.fromAsync(records.range(PARTITION, options), ({ key, value }) => ({
      sid: key.sort,
      task: Suspended.parse(value).task,
    }))
  }

  return {
    all,
    async add({ sid, task }: SessionTask, options: { signal: AbortSignal }): Promise<void> {
      await records.put(keyOf(sid), { value: { task } }, options)
    },
    async remove(sid: string, options: { signal: AbortSignal }): Promise<void> {
      await records.remove(keyOf(sid), options)
    },
    /** Removes these tasks, which have stopped. */
    async forget(tasks: string[], options: { signal: AbortSignal }): Promise<void> {
      for (const { sid, task } of await all(options))
        if (tasks.includes(task)) await records.remove(keyOf(sid), options)
    },
  }
}
