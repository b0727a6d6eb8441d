import type { DynamoDBClientConfig } from "@aws-sdk/client-dynamodb"
import { createWakeups } from "@switchyard/core/log/notifier"
import { createDynamoClient, createDynamoRecords } from "@switchyard/core/storage/dynamo"
import type { Records } from "@switchyard/core/storage/records"
import { createSqliteRecords } from "@switchyard/core/storage/sqlite"
import { systemClock } from "@switchyard/core/time"
import { createRealPace, overBadLine } from "./real-time.ts"
import type { Faults } from "./records.ts"
import { createWorld } from "./world.ts"

/** The real store that a place uses. */
export type RealStore =
  | { kind: "sqlite"; file: string }
  | { kind: "dynamo"; config: DynamoDBClientConfig; table: string }

export function openStore(store: RealStore): Records & { close(): void } {
  if (store.kind === "sqlite") return createSqliteRecords({ file: store.file })
  const client = createDynamoClient(store.config)
  return { ...createDynamoRecords({ client, table: store.table }), close: () => client.destroy() }
}

/** Creates a world in real time on a real store: one process's view of a session that several processes share. */
export function createPlace(records: Records, { sid, seed, faults }: { sid: string; seed: number; faults: Faults }) {
  const pace = createRealPace(seed)
  const wakeups = createWakeups()
  const world = createWorld({
    sid,
    scheduler: pace,
    records: (process) => overBadLine(records, pace, process, faults),
    clock: () => systemClock,
    wakeups: () => wakeups,
  })
  return { world, isQuiet: () => world.acting() === 0 && pace.pending() === 0 }
}
