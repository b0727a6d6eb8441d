import { createNewId } from "@switchyard/core/ids"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { createRetryingStores } from "@switchyard/core/storage/retrying-stores"
import { systemClock as clock } from "@switchyard/core/time"
import type { RunnerHost } from "../serving/host.ts"

export type Core = ReturnType<typeof createCore>

/** Creates the session's stores and log. */
export function createCore(host: RunnerHost) {
  let unavailableAt = Number.NEGATIVE_INFINITY
  const stores = createRetryingStores(host, clock, () => {
    unavailableAt = clock.monotonic()
  })
  const base = {
    ...stores,
    clock,
    newId: createNewId(clock.now),
    fold: sessionFold,
    wakeups: host.wakeups,
    writer: host.executor,
    onAppended: host.onAppended,
    report: (error: unknown) => console.error(error),
  }
  return {
    ...base,
    log: createLog(base),
    unavailableAt: () => unavailableAt,
  }
}
