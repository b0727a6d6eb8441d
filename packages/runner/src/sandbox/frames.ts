/** Message between the runner and a process that runs as an agents' user. It consists of JSON and bytes. */
export interface Frame {
  json: unknown
  bytes: Buffer
}

const HEAD_BYTES = 8
/** Maximum sizes of a message's parts. A message that claims to be larger is assumed to be forged. */
const MAX_JSON_BYTES = 64 * 1024 * 1024
const MAX_BYTES = 256 * 1024 * 1024

/** Encodes a message as two lengths, the JSON and the bytes. In the JSON, large integers are strings. */
export function encodeFrame(json: unknown, bytes: Uint8Array = new Uint8Array()): Buffer[] {
  const text = Buffer.from(JSON.stringify(json, (_, value) => (typeof value === "bigint" ? `${value}` : value)))
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(text.length, 0)
  head.writeUInt32BE(bytes.length, 4)
  return [head, text, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)]
}

/**
 * Decodes messages as they arrive. Ignores an incomplete message at the end. Throws if a message is too large or
 * doesn't contain JSON.
 */
export async function* decodeFrames(source: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let chunks: Buffer[] = []
  let size = 0
  let wanted = HEAD_BYTES
  for await (const chunk of source) {
    chunks.push(chunk)
    size += chunk.length
    while (size >= wanted) {
      const all = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
      if (!all) break
      const [jsonBytes, bodyBytes] = [all.readUInt32BE(0), all.readUInt32BE(4)]
      if (jsonBytes > MAX_JSON_BYTES || bodyBytes > MAX_BYTES) throw new Error("The message is too large.")
      const end = HEAD_BYTES + jsonBytes + bodyBytes
      chunks = [all]
      wanted = end
      if (size < end) break
      const bodyAt = HEAD_BYTES + jsonBytes
      yield { json: JSON.parse(all.toString("utf8", HEAD_BYTES, bodyAt)), bytes: all.subarray(bodyAt, end) }
      const rest = all.subarray(end)
      chunks = rest.length > 0 ? [rest] : []
      size = rest.length
      wanted = HEAD_BYTES
    }
  }
}
