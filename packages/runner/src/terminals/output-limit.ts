import { promisify } from "node:util"
import { deflateRaw } from "node:zlib"

/** Limits how much terminal output is logged per second. Output is measured by the size at which it is stored. */
export interface OutputLimit {
  /** If the bytes may be logged, counts them and returns true. */
  allows(bytes: Uint8Array): Promise<boolean>
}

const BYTES_A_SECOND = 256 * 1024

/**
 * Up to this size, which is typical of interactive use, bytes are counted uncompressed, because compressing them would
 * cost more than storing them.
 */
const UNCOMPRESSED_BYTES = 1024

/** Output above this size is replaced by a snapshot, however well it compresses, because no person can read so much. */
export const RAW_LIMIT_BYTES = 1024 * 1024

export function createOutputLimit(monotonic: () => number): OutputLimit {
  let left = BYTES_A_SECOND
  let countedAt = monotonic()
  return {
    async allows(bytes) {
      const now = monotonic()
      left = Math.min(BYTES_A_SECOND, left + ((now - countedAt) / 1000) * BYTES_A_SECOND)
      countedAt = now
      if (bytes.length > RAW_LIMIT_BYTES) return false
      const cost = await storedBytes(bytes)
      if (cost > left) return false
      left -= cost
      return true
    },
  }
}

/**
 * Returns the compressed size of the bytes in base64. The bytes themselves may compress much better, because base64
 * hides repetition.
 */
async function storedBytes(bytes: Uint8Array): Promise<number> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64")
  if (bytes.length <= UNCOMPRESSED_BYTES) return text.length
  return (await promisify(deflateRaw)(text, { level: 1 })).length
}
