/** A zip member as described by its headers. Their layout is defined in section 4.3 of PKWARE's APPNOTE.TXT. */
export interface ZipEntry {
  /** Name in UTF-8. The name of a folder ends with a slash. */
  name: Buffer
  folder: boolean
  mode: number
  deflated: boolean
  /** True if the checksum and sizes come after the data, in a data descriptor. */
  hasDescriptor: boolean
  expectedBytes: number
  crc32: number
  sizeBytes: number
  compressedBytes: number
}

const MADE_BY_UNIX = (3 << 8) | 63
const UTF8_NAMES = 0x800
const DATA_DESCRIPTOR = 8
const MAX_16 = 0xffff
const MAX_32 = 0xffff_ffff
// Size from which zip64 is used. Below 4 GB, because deflating can make data slightly longer.
const ZIP64_FROM_BYTES = 0xf000_0000
/** 1 January 1980, the earliest date that the format can store. Files in a workspace version have no dates. */
const DOS_DATE = (1 << 5) | 1

export function localHeader(entry: ZipEntry): Buffer {
  const { name, hasDescriptor, crc32, compressedBytes, sizeBytes } = entry
  const zip64 = isZip64(entry)
  const unknown = zip64 ? MAX_32 : 0
  const extra = zip64 ? zip64Extra(0, 0) : []
  return layout(
    [
      [4, 0x04034b50],
      ...common(entry, zip64),
      [4, hasDescriptor ? 0 : crc32],
      [4, hasDescriptor ? unknown : compressedBytes],
      [4, hasDescriptor ? unknown : sizeBytes],
      [2, name.length],
      [2, lengthOf(extra)],
    ],
    name,
    extra,
  )
}

/** Returns the record that follows the data of a streamed member, with its checksum and sizes. */
export function dataDescriptor(entry: ZipEntry): Buffer {
  const width = isZip64(entry) ? 8 : 4
  return layout([
    [4, 0x08074b50],
    [4, entry.crc32],
    [width, entry.compressedBytes],
    [width, entry.sizeBytes],
  ])
}

/** Returns the record in the central directory for the member at `offset`. */
export function centralRecord(entry: ZipEntry, offset: number): Buffer {
  const { name, crc32, compressedBytes, sizeBytes } = entry
  const far = offset >= MAX_32
  const large = isZip64(entry)
  const extra = large || far ? zip64Extra(...(large ? [sizeBytes, compressedBytes] : []), ...(far ? [offset] : [])) : []
  return layout(
    [
      [4, 0x02014b50],
      [2, MADE_BY_UNIX],
      ...common(entry, extra.length > 0),
      [4, crc32],
      [4, large ? MAX_32 : compressedBytes],
      [4, large ? MAX_32 : sizeBytes],
      [2, name.length],
      [2, lengthOf(extra)],
      // These fields mean: no comment, the first disk, no internal attributes.
      [2, 0],
      [2, 0],
      [2, 0],
      [4, attributes(entry)],
      [4, far ? MAX_32 : offset],
    ],
    name,
    extra,
  )
}

/** Returns the records at the end of the archive, whose central directory begins at `offset`. */
export function endOfArchive(directory: Uint8Array[], offset: number): Buffer {
  const count = directory.length
  const sizeBytes = directory.reduce((sum, record) => sum + record.length, 0)
  const end: Field[] = [
    [4, 0x06054b50],
    [4, 0],
    [2, Math.min(count, MAX_16)],
    [2, Math.min(count, MAX_16)],
    [4, Math.min(sizeBytes, MAX_32)],
    [4, Math.min(offset, MAX_32)],
    [2, 0],
  ]
  if (count < MAX_16 && sizeBytes < MAX_32 && offset < MAX_32) return layout(end)
  const wideEnd: Field[] = [
    [4, 0x06064b50],
    [8, 44],
    [2, MADE_BY_UNIX],
    [2, 45],
    [4, 0],
    [4, 0],
    [8, count],
    [8, count],
    [8, sizeBytes],
    [8, offset],
  ]
  const locator: Field[] = [
    [4, 0x07064b50],
    [4, 0],
    [8, offset + sizeBytes],
    [4, 1],
  ]
  return layout([...wideEnd, ...locator, ...end])
}

function isZip64(entry: ZipEntry): boolean {
  return entry.expectedBytes >= ZIP64_FROM_BYTES
}

function common({ deflated, hasDescriptor }: ZipEntry, zip64: boolean): Field[] {
  const flags = UTF8_NAMES | (hasDescriptor ? DATA_DESCRIPTOR : 0)
  return [
    [2, zip64 ? 45 : 20],
    [2, flags],
    [2, deflated ? 8 : 0],
    [2, 0],
    [2, DOS_DATE],
  ]
}

/** Returns the zip64 extra field, which contains the values that don't fit into 32 bits, in this order. */
function zip64Extra(...values: number[]): Field[] {
  return [[2, 1], [2, 8 * values.length], ...values.map((value): Field => [8, value])]
}

function attributes({ folder, mode }: ZipEntry): number {
  const unix = (folder ? 0o040000 : 0o100000) | mode
  return unix * 0x1_0000 + (folder ? 0x10 : 0)
}

/** A little-endian number, with its width in bytes. */
type Field = [bytes: 2 | 4 | 8, value: number]

function lengthOf(fields: Field[]): number {
  return fields.reduce((sum, [bytes]) => sum + bytes, 0)
}

function layout(fields: Field[], name: Uint8Array = new Uint8Array(), extra: Field[] = []): Buffer {
  const nameAt = lengthOf(fields)
  const extraAt = nameAt + name.length
  // Avoid Node's buffer pool, because directory records are kept until the end, and each would keep a slab of 64 KB in
  // memory.
  const buffer = Buffer.alloc(extraAt + lengthOf(extra))
  writeFields(buffer, 0, fields)
  buffer.set(name, nameAt)
  writeFields(buffer, extraAt, extra)
  return buffer
}

function writeFields(buffer: Buffer, start: number, fields: Field[]): void {
  let at = start
  for (const [bytes, value] of fields) {
    if (bytes === 2) buffer.writeUInt16LE(value, at)
    else if (bytes === 4) buffer.writeUInt32LE(value, at)
    else buffer.writeBigUInt64LE(BigInt(value), at)
    at += bytes
  }
}
