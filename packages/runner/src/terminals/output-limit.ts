import { promisify } from "node:util"
import { deflateRaw } from "node:zlib"

/** What of a terminal's output may go into its log: so much a second, as it is stored, and no more. */
export interface OutputLimit {
  /** Whether these bytes may still be logged; then they count. */
  allows(bytes: Uint8Array): Promise<boolean>
}

const BYTES_A_SECOND = 256 * 1024

/** What people type and read counts uncompressed: to find out how small it gets would cost more than it weighs. */
const UNCOMPRESSED_BYTES = 1024

/** More than that, however small it gets, is a flood: nobody reads it. */
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

/** Base64 hides much of what repeats from the compression: such bytes can get small, and their record not at all. */
async function storedBytes(bytes: Uint8Array): Promise<number> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64")
  if (bytes.length <= UNCOMPRESSED_BYTES) return text.length
  return (await promisify(deflateRaw)(text, { level: 1 })).length
}
