import { pipeline } from "node:stream/promises"
import { promisify } from "node:util"
import { crc32, createDeflateRaw, deflateRaw, deflateRawSync } from "node:zlib"
import { AppError } from "../../errors.ts"
import { centralRecord, dataDescriptor, endOfArchive, localHeader, type ZipEntry } from "./zip-format.ts"

// Written by hand, because existing libraries don't fit. fflate doesn't write zip64, so it can't handle large files or
// a large number of files. yazl uses the thread pool even for tiny files, and deflates files even if that makes them
// larger.

/** A file's data in an archive, deflated or stored. */
export interface Compressed {
  bytes: Uint8Array
  deflated: boolean
  crc32: number
  sizeBytes: number
}

/** A zip member: a folder, a compressed file, or a file to compress while streaming. */
export type ZipMember =
  | { path: string; folder: true }
  | { path: string; mode: number; compressed: Compressed }
  | { path: string; mode: number; source: AsyncIterable<Uint8Array>; sizeBytes: number }

const OUTPUT_BYTES = 256 * 1024
const INPUT_BYTES = 64 * 1024
// Size up to which data is compressed synchronously. For small data, handing the work to the thread pool takes several
// times as long as the work itself.
const SYNC_UP_TO_BYTES = 64 * 1024

/**
 * Yields a zip archive of the members, in order. The same members always produce the same bytes, regardless of how
 * their content is chunked. Only the central directory is kept in memory.
 */
export function zipArchive(members: AsyncIterable<ZipMember>): AsyncGenerator<Uint8Array> {
  return rechunk(archiveParts(members), OUTPUT_BYTES)
}

/** Compresses a file in memory. If compression doesn't make the file smaller, stores it uncompressed. */
export async function compress(bytes: Uint8Array): Promise<Compressed> {
  const deflated = await deflateAtOnce(bytes)
  const gain = deflated.length < bytes.length
  return { bytes: gain ? deflated : bytes, deflated: gain, crc32: crc32(bytes), sizeBytes: bytes.length }
}

async function deflateAtOnce(bytes: Uint8Array): Promise<Uint8Array> {
  const options = { windowBits: windowBits(bytes.length) }
  if (bytes.length <= SYNC_UP_TO_BYTES) return deflateRawSync(bytes, options)
  return isCompressible(bytes.subarray(0, INPUT_BYTES)) ? promisify(deflateRaw)(bytes, options) : bytes
}

async function* archiveParts(members: AsyncIterable<ZipMember>): AsyncGenerator<Uint8Array> {
  const directory: Uint8Array[] = []
  let offset = 0
  for await (const member of members) {
    let end = offset
    const entry = toEntry(member)
    for await (const part of "source" in member ? streamed(entry, member) : stored(entry, member)) {
      end += part.length
      yield part
    }
    directory.push(centralRecord(entry, offset))
    offset = end
  }
  yield* directory
  yield endOfArchive(directory, offset)
}

function toEntry(member: ZipMember): ZipEntry {
  if ("folder" in member) return { ...EMPTY_ENTRY, name: Buffer.from(`${member.path}/`), folder: true, mode: 0o755 }
  const file = { ...EMPTY_ENTRY, name: Buffer.from(member.path), mode: member.mode }
  if ("source" in member) return { ...file, deflated: true, hasDescriptor: true, expectedBytes: member.sizeBytes }
  const { bytes, deflated, crc32, sizeBytes } = member.compressed
  return { ...file, deflated, crc32, sizeBytes, compressedBytes: bytes.length, expectedBytes: sizeBytes }
}

const EMPTY_ENTRY = {
  folder: false,
  deflated: false,
  hasDescriptor: false,
  expectedBytes: 0,
  crc32: 0,
  sizeBytes: 0,
  compressedBytes: 0,
}

function stored(entry: ZipEntry, member: ZipMember): Uint8Array[] {
  return "compressed" in member ? [localHeader(entry), member.compressed.bytes] : [localHeader(entry)]
}

/**
 * Yields a streamed member and fills in its entry. The checksum and sizes come after the data, in a data descriptor.
 */
async function* streamed(
  entry: ZipEntry,
  { source }: { source: AsyncIterable<Uint8Array> },
): AsyncGenerator<Uint8Array> {
  async function* counted() {
    for await (const chunk of rechunk(source, INPUT_BYTES)) {
      entry.crc32 = crc32(chunk, entry.crc32)
      entry.sizeBytes += chunk.length
      yield chunk
    }
  }
  yield localHeader(entry)
  for await (const chunk of deflateStream(counted())) {
    entry.compressedBytes += chunk.length
    yield chunk
  }
  if (entry.sizeBytes !== entry.expectedBytes) {
    throw new AppError("workspace_error", "A file's size doesn't match its manifest.", {
      path: entry.name.toString(),
    })
  }
  yield dataDescriptor(entry)
}

/**
 * Deflates a stream. Files that can't be compressed are deflated at level 0 instead of being stored. With stored data,
 * readers that ignore the central directory couldn't find the end, because the length comes after the data.
 */
async function* deflateStream(source: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const first = await source.next()
  const start: Buffer = first.done ? Buffer.alloc(0) : first.value
  const deflate = createDeflateRaw({ level: isCompressible(start) ? 6 : 0, chunkSize: INPUT_BYTES })
  async function* whole() {
    yield start
    yield* source
  }
  // If the source fails, `deflate` fails too, and its error is thrown below when `deflate` is consumed.
  pipeline(whole(), deflate).catch(() => {})
  yield* deflate
}

/**
 * True if the first chunk of the file shrinks. Compressing a file that is already compressed takes the most time and
 * gains nothing.
 */
function isCompressible(start: Uint8Array): boolean {
  return deflateRawSync(start, { level: 1 }).length < 0.97 * start.length
}

/** Splits the bytes into chunks of a fixed size. Only the last chunk may be smaller. */
async function* rechunk(source: AsyncIterable<Uint8Array>, sizeBytes: number): AsyncGenerator<Buffer> {
  let piece = Buffer.allocUnsafeSlow(sizeBytes)
  let filled = 0
  for await (const chunk of source) {
    for (let taken = 0; taken < chunk.length; ) {
      const part = chunk.subarray(taken, taken + sizeBytes - filled)
      piece.set(part, filled)
      filled += part.length
      taken += part.length
      if (filled < sizeBytes) continue
      yield piece
      piece = Buffer.allocUnsafeSlow(sizeBytes)
      filled = 0
    }
  }
  if (filled > 0) yield piece.subarray(0, filled)
}

/**
 * Returns the smallest window that covers the file, because setting up a larger window takes longer than compressing a
 * small file.
 */
function windowBits(bytes: number): number {
  const lookahead = 262
  return Math.min(15, Math.max(9, Math.ceil(Math.log2(bytes + lookahead))))
}
