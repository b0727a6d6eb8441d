import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compress, type ZipMember, zipArchive } from "@switchyard/core/files/archives/zip"
import { centralRecord, dataDescriptor, endOfArchive, localHeader } from "@switchyard/core/files/archives/zip-format"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import yauzl from "yauzl"
import { incompressible } from "../workspaces/stage.ts"
import { entriesOf } from "./entries.ts"

const text = Buffer.from("export const n = 1\n".repeat(100_000))
const noise = incompressible(1_500_000)

async function* pieces(bytes: Uint8Array, sizes: number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1)
    yield bytes.subarray(at, at + size)
    at += size
  }
}
const flowing = (path: string, bytes: Uint8Array, sizes = [65536]): ZipMember => ({
  path,
  mode: 0o644,
  source: pieces(bytes, sizes),
  sizeBytes: bytes.length,
})
const standing = async (path: string, bytes: Uint8Array, mode = 0o644): Promise<ZipMember> => ({
  path,
  mode,
  compressed: await compress(bytes),
})
async function zip(...members: (ZipMember | Promise<ZipMember>)[]): Promise<Buffer> {
  async function* all() {
    for (const member of members) yield await member
  }
  return Buffer.concat(await Array.fromAsync(zipArchive(all())))
}

describe("a zip archive", () => {
  it("keeps no more memory for what it says of a file in the end than that takes", () => {
    const entry = { name: Buffer.from("a.txt"), folder: false, mode: 0o644, deflated: false, hasDescriptor: false }
    const record = centralRecord({ ...entry, expectedBytes: 0, crc32: 0, sizeBytes: 0, compressedBytes: 0 }, 0)
    expect(record.buffer.byteLength).toBe(record.length)
  })

  it("gives every byte back, whatever flows into it and in whatever pieces", async () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 3000 }),
      fc.string({ maxLength: 3000 }).map((string) => Buffer.from(string.repeat(40))),
      fc.nat(200_000).map((size) => text.subarray(0, size)),
    )
    const file = fc.record({
      bytes: content,
      flows: fc.boolean(),
      sizes: fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 6 }), async (files) => {
        const members = files.map(({ bytes, flows, sizes }, index) =>
          flows ? flowing(`f${index}`, bytes, sizes) : standing(`f${index}`, bytes),
        )
        const found = await entriesOf(await zip(...members))
        expect(found.map(({ path }) => path)).toEqual(files.map((_, index) => `f${index}`))
        for (const [index, { bytes }] of found.entries())
          expect(bytes.equals(files[index]?.bytes ?? Buffer.of(1))).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it("is the same bytes however its files come in pieces", async () => {
    const made = (sizes: number[]) =>
      zip(standing("a", text.subarray(0, 5000)), flowing("b", text, sizes), flowing("c", noise, sizes))
    const whole = await made([10_000_000])
    for (const sizes of [[65536], [1, 999, 70_001], [16384, 3]]) expect((await made(sizes)).equals(whole)).toBe(true)
  })

  it("doesn't grow what can't be made smaller", async () => {
    expect((await zip(standing("a", noise.subarray(0, 20_000)))).length).toBeLessThan(20_000 + 150)
    expect((await zip(flowing("a", noise))).length).toBeLessThan(noise.length * 1.001)
    expect((await zip(flowing("a", text))).length).toBeLessThan(text.length / 50)
  })

  it("tells files from folders, and who may run them, and no date but the first", async () => {
    const found = await entriesOf(
      await zip({ path: "empty/ü", folder: true }, standing("run", Buffer.from("x"), 0o755), flowing("b", text)),
    )
    expect(found.map(({ path, mode }) => [path, mode.toString(8)])).toEqual([
      ["empty/ü/", "40755"],
      ["run", "100755"],
      ["b", "100644"],
    ])
    for (const { entry } of found)
      expect(entry.getLastModDate({ timezone: "UTC" }).toISOString()).toBe("1980-01-01T00:00:00.000Z")
  })

  it("ends with an error, not with a wrong file, when a source fails or is not as long as it was said to be", async () => {
    async function* broken() {
      yield text
      throw new Error("The connection was lost.")
    }
    await expect(zip({ path: "a", mode: 0o644, source: broken(), sizeBytes: 2 * text.length })).rejects.toThrow(
      "The connection was lost.",
    )
    for (const sizeBytes of [text.length + 1, text.length - 1]) {
      await expect(zip({ path: "a", mode: 0o644, source: pieces(text, [9999]), sizeBytes })).rejects.toThrow(
        expect.objectContaining({ code: "workspace_error", details: { path: "a" } }),
      )
    }
  })

  it("closes its source when it is left in the middle", async () => {
    let closed = false
    async function* endless() {
      try {
        for (;;) yield incompressible(100_000)
      } finally {
        closed = true
      }
    }
    async function* members(): AsyncGenerator<ZipMember> {
      yield { path: "a", mode: 0o644, source: endless(), sizeBytes: 1e12 }
    }
    for await (const _ of zipArchive(members())) break
    await expect.poll(() => closed).toBe(true)
  })

  it("of more files than 16 bits can count is read by others", async () => {
    const directory = await mkdtemp(join(tmpdir(), "zip-"))
    try {
      const packed = await compress(Buffer.from("x"))
      async function* many() {
        for (let index = 0; index < 66_000; index++) yield { path: `f${index}`, mode: 0o644, compressed: packed }
      }
      const file = join(directory, "many.zip")
      await writeFile(file, zipArchive(many()))
      const found = await entriesOf(await readFile(file))
      expect(found.map(({ path }) => path)).toEqual(Array.from({ length: 66_000 }, (_, index) => `f${index}`))
      expect(found.at(-1)?.bytes.toString()).toBe("x")
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})

describe("beyond 4 GB", () => {
  const large = {
    name: Buffer.from("large"),
    folder: false,
    mode: 0o644,
    deflated: true,
    hasDescriptor: true,
    expectedBytes: 5e9,
    crc32: 0x1234,
    sizeBytes: 5e9,
    compressedBytes: 4.9e9,
  }

  /** Lists an archive from its directory. A reader needs nothing else, so the files' bytes don't exist. */
  async function list(entries: { entry: typeof large; offset: number }[], end: number) {
    const directory = entries.map(({ entry, offset }) => centralRecord(entry, offset))
    const tail = Buffer.concat([...directory, endOfArchive(directory, end)])
    class Sparse extends yauzl.RandomAccessReader {
      override _readStreamForRange(): never {
        throw new Error("Nobody reads the files.")
      }
      override read(
        buffer: Buffer,
        offset: number,
        length: number,
        position: number,
        done: (error: Error | null) => void,
      ) {
        for (let index = 0; index < length; index++) buffer[offset + index] = tail[position - end + index] ?? 0
        done(null)
      }
    }
    const zipFile = await yauzl.fromRandomAccessReaderPromise(new Sparse(), end + tail.length)
    return Array.fromAsync(zipFile.eachEntry())
  }

  it("sizes and places are told in 64 bits", async () => {
    const small = { ...large, name: Buffer.from("small"), expectedBytes: 7, sizeBytes: 7, compressedBytes: 5 }
    const found = await list(
      [
        { entry: large, offset: 0 },
        { entry: small, offset: 4.9e9 },
        { entry: large, offset: 6e9 },
      ],
      11e9,
    )
    expect(
      found.map((entry) => [entry.uncompressedSize, entry.compressedSize, entry.relativeOffsetOfLocalHeader]),
    ).toEqual([
      [5e9, 4.9e9, 0],
      [7, 5, 4.9e9],
      [5e9, 4.9e9, 6e9],
    ])
  })

  it("a file says so before its bytes, and its lengths follow in 64 bits", () => {
    expect(localHeader(large).readUInt16LE(4)).toBe(45)
    const descriptor = dataDescriptor(large)
    expect([
      descriptor.readUInt32LE(4),
      Number(descriptor.readBigUInt64LE(8)),
      Number(descriptor.readBigUInt64LE(16)),
    ]).toEqual([0x1234, 4.9e9, 5e9])
    expect(dataDescriptor({ ...large, expectedBytes: 7, sizeBytes: 7, compressedBytes: 5 })).toHaveLength(16)
  })
})
