import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readAll } from "@switchyard/core/storage/blobs"
import { createFileBlobs } from "@switchyard/core/storage/files"
import { createSqliteRecords } from "@switchyard/core/storage/sqlite"
import { afterAll, expect, it } from "vitest"
import { NO_DISK, needs } from "../../needs.ts"

const disk = mkdtempSync(join(tmpdir(), "full-disk-"))
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk]).status === 0
afterAll(() => {
  if (mounted) spawnSync("umount", [disk])
  rmSync(disk, { recursive: true })
})

it(
  "says that a full disk can't be written, loses nothing, and goes on when there is room",
  needs(mounted ? undefined : NO_DISK),
  async () => {
    const records = createSqliteRecords({ file: join(disk, "records.sqlite") })
    const blobs = createFileBlobs({ directory: join(disk, "blobs"), publicUrl: "", signingKey: new Uint8Array(32) })
    const large = { value: { text: "x".repeat(100_000) } }
    await blobs.put("kept", Buffer.from("kept"))
    const full = { code: "storage_unavailable", message: "The disk is full." }
    let stored = 0
    const fill = async () => {
      for (; ; stored++) await records.put({ partition: "p", sort: String(stored) }, large, { ifAbsent: true })
    }
    await expect(blobs.put("too much", Buffer.alloc(4_000_000))).rejects.toMatchObject(full)
    await expect(fill()).rejects.toMatchObject(full)

    const kept = await blobs.get("kept")
    expect(kept && (await readAll(kept)).toString()).toBe("kept")
    expect(await blobs.head("too much")).toBeUndefined()
    expect(await Array.fromAsync(records.range("p"))).toHaveLength(stored)

    spawnSync("mount", ["-o", "remount,size=20m", disk])
    await blobs.put("too much", Buffer.alloc(4_000_000))
    expect(await records.put({ partition: "p", sort: String(stored) }, large, { ifAbsent: true })).toBe(1)
    records.close()
    blobs.close()
  },
)
