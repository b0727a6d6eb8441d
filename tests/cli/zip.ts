import { crc32, deflateRawSync } from "node:zlib"

export interface ZipEntry {
  name: string
  content?: string
  /** Unix mode, including the file type. */
  mode?: number
  /** Replace the true values, to make an inconsistent archive. */
  crc?: number
  size?: number
  flags?: number
}

/** Creates a zip without validation. Libraries refuse to write the archives that a reader must reject. */
export function zipOf(entries: ZipEntry[]): Buffer {
  const locals: Buffer[] = []
  const headers: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const name = Buffer.from(entry.name)
    const content = Buffer.from(entry.content ?? "")
    const packed = deflateRawSync(content)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x800 | (entry.flags ?? 0), 2)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(entry.crc ?? crc32(content), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(entry.size ?? content.length, 18)
    common.writeUInt16LE(name.length, 22)

    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, name, packed])
    const attributes = Buffer.alloc(14)
    attributes.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6)
    attributes.writeUInt32LE(offset, 10)
    headers.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x03"), common, attributes, name]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(headers)
  const end = Buffer.alloc(22)
  end.write("PK\x05\x06", "latin1")
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}
