import { crc32 } from "node:zlib"
import { expect } from "vitest"
import yauzl from "yauzl"

/** Reads the entries of a zip archive with an independent library. */
export async function entriesOf(archive: Buffer) {
  const zipFile = await yauzl.fromBufferPromise(archive)
  const entries = []
  for await (const entry of zipFile.eachEntry()) {
    // A folder has no content.
    const stream = entry.fileName.endsWith("/") ? [] : await zipFile.openReadStreamPromise(entry)
    const bytes = Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>))
    expect(entry.crc32).toBe(crc32(bytes))
    entries.push({ path: entry.fileName, mode: entry.externalFileAttributes >>> 16, bytes, entry })
  }
  return entries
}
