import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createNewId } from "@switchyard/core/ids"
import { openSession } from "@switchyard/core/kernel/rules"
import { openSessionLog, type SessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import type { Wakeups } from "@switchyard/core/log/notifier"
import { sessionFold } from "@switchyard/core/state"
import { createFileBlobs } from "@switchyard/core/storage/files"
import type { Records } from "@switchyard/core/storage/records"
import { createSqliteRecords } from "@switchyard/core/storage/sqlite"
import { type Clock, systemClock } from "@switchyard/core/time"

export const SID = "0123456789abcdef0123456789abcdef"
export const signal = new AbortController().signal

export interface StageOptions {
  clock?: Clock
  wakeups?: Wakeups
  /** Wraps the records, for example to count requests. */
  around?: (records: Records) => Records
}

export type Stage = ReturnType<typeof openStage>

/** Opens a machine's stores in a directory, with everything that a session depends on. */
export function openStage(directory: string, { clock = systemClock, wakeups, around = (it) => it }: StageOptions = {}) {
  const sqlite = createSqliteRecords({ file: join(directory, "records.sqlite") })
  const blobs = createFileBlobs({
    directory: join(directory, "blobs"),
    publicUrl: "http://127.0.0.1",
    signingKey: new Uint8Array(32),
  })
  const records = around(sqlite)
  const log = createLog({ records, blobs, clock, wakeups })
  const close = () => {
    sqlite.close()
    blobs.close()
  }
  return {
    directory,
    records,
    blobs,
    log,
    clock,
    newId: createNewId(clock.now),
    fold: sessionFold,
    writer: "bench",
    close,
  }
}

/** Opens a stage in a temporary directory. Removes the directory when disposed. */
export async function newStage(options: StageOptions = {}) {
  const stage = openStage(await temporaryDirectory(), options)
  return {
    ...stage,
    async [Symbol.asyncDispose]() {
      stage.close()
      await rm(stage.directory, { recursive: true, force: true })
    },
  }
}

export function temporaryDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), "switchyard-bench-"))
}

/** Opens the stage's session. */
export async function liveSession(stage: Stage, sid = SID): Promise<SessionLog> {
  const session = await openSessionLog(stage, sid, { signal })
  await session.decide(openSession("default"), { signal })
  return session
}
