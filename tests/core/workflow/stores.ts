import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { createFileBlobs } from "@switchyard/core/storage/files"
import type { Records } from "@switchyard/core/storage/records"
import { createSqliteRecords } from "@switchyard/core/storage/sqlite"

export interface Stores {
  records: Records
  blobs: Blobs
  close(): Promise<void>
}

/** The stores of one machine, on a folder of their own. */
export async function openStores(): Promise<Stores> {
  const directory = await mkdtemp(join(tmpdir(), "workflow-"))
  const records = createSqliteRecords({ file: join(directory, "records.sqlite") })
  const blobs = createFileBlobs({
    directory: join(directory, "blobs"),
    publicUrl: "http://127.0.0.1",
    signingKey: new Uint8Array(32),
  })
  return {
    records,
    blobs,
    async close() {
      records.close()
      blobs.close()
      await rm(directory, { recursive: true })
    },
  }
}
