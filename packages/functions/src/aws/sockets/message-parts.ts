/** API Gateway's limit of a message is 128 KB. */
const MOST_BYTES = 120_000

/** In JSON, a UTF-16 unit takes three bytes at most. */
const PART_LENGTH = 40_000

/** The messages in which a message is sent: itself, or, where it is too long for API Gateway, its JSON in parts. */
export function messageParts(text: string, sessionId: string | undefined): string[] {
  if (Buffer.byteLength(text) <= MOST_BYTES) return [text]
  const count = Math.ceil(text.length / PART_LENGTH)
  return Array.from({ length: count }, (_, index) => {
    const part = text.slice(index * PART_LENGTH, (index + 1) * PART_LENGTH)
    return JSON.stringify({ type: "part", session_id: sessionId, data: { index, count, text: part } })
  })
}
