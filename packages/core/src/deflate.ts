import { promisify } from "node:util"
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from "node:zlib"

/** Up to here a thread takes longer to be asked than a text to be packed, which takes some 50 microseconds. */
const AT_ONCE_BYTES = 16 * 1024

/** A text, deflated: a string as UTF-8. */
export async function deflate(text: string | Uint8Array): Promise<Uint8Array> {
  const bytes = typeof text === "string" ? Buffer.from(text) : text
  return bytes.length <= AT_ONCE_BYTES ? deflateRawSync(bytes) : promisify(deflateRaw)(bytes)
}

/** The text that was deflated. Throws if the bytes are none. */
export async function inflate(bytes: Uint8Array): Promise<string> {
  const text = bytes.length <= AT_ONCE_BYTES / 4 ? inflateRawSync(bytes) : await promisify(inflateRaw)(bytes)
  return text.toString()
}
