import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Change } from "@switchyard/core/files/workspaces/manifest"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { createNewId } from "@switchyard/core/ids"
import { openSession } from "@switchyard/core/kernel/rules"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { createFileBlobs } from "@switchyard/core/storage/files"
import { createSqliteRecords } from "@switchyard/core/storage/sqlite"
import { systemClock } from "@switchyard/core/time"
import { never } from "../../../settings.ts"

export const signal = never
export const SID = "0123456789abcdef0123456789abcdef"

export type Stage = ReturnType<typeof openStage>

/** Opens the embedded stores in a directory that several processes may share. Tests may replace `clock.now`. */
export function openStage(directory: string) {
  const clock = { ...systemClock }
  const now = () => clock.now()
  const records = createSqliteRecords({ file: join(directory, "records.sqlite") })
  const blobs = createFileBlobs({
    directory: join(directory, "blobs"),
    publicUrl: "http://127.0.0.1",
    signingKey: new Uint8Array(32),
    now,
  })
  const log = createLog({ records, blobs, clock })
  /** Opens the session as another writer. */
  const joinSession = () =>
    openSessionLog({ log, records, clock, newId: createNewId(), fold: sessionFold, writer: "test" }, SID, { signal })
  const close = () => {
    records.close()
    blobs.close()
  }
  return { clock, records, blobs, log, join: joinSession, close }
}

/** Creates a directory with an open session. */
export async function newStage() {
  const directory = await mkdtemp(join(tmpdir(), "workspaces-"))
  const stage = openStage(directory)
  const session = await stage.join()
  await session.decide(openSession("default"), { signal })
  return {
    ...stage,
    directory,
    session,
    async [Symbol.asyncDispose]() {
      stage.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export function put(
  path: string,
  content: string | Uint8Array,
  options: { mode?: number; ifSha256?: string | null } = {},
): Change {
  return { op: "write", path: workspacePath(path), bytes: Buffer.from(content), ...options }
}

/** Wraps a blob store so that `act` runs before each put. */
export function whenPut(blobs: Blobs, act: (key: string) => Promise<void> | void): Blobs {
  return {
    ...blobs,
    async put(key, ...rest) {
      await act(key)
      return blobs.put(key, ...rest)
    },
  }
}

export async function eventsOf(stage: Pick<Stage, "log">, type: string) {
  const events = await Array.fromAsync(stage.log.read(`s/${SID}/log`, 0, { signal }))
  return events.filter((event) => event.type === type)
}

export const incompressible = (sizeBytes: number) => randomBytes(sizeBytes)
