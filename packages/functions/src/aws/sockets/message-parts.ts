/** Maximum size of a message, below API Gateway's limit of 128 KB. */
const MOST_BYTES = 120_000

/** Maximum number of UTF-16 code units per part. Each takes at most three bytes in UTF-8. */
const PART_LENGTH = 40_000

/**
 * Returns the messages to send: the message itself, or its JSON split into parts if the message is too long for API
 * Gateway.
 */
export function messageParts(text: string, sessionId: string | undefined): string[] {
  if (Buffer.byteLength(text) <= MOST_BYTES) return [text]
  const count = Math.ceil(text.length / PART_LENGTH)
  return Array.from({ length: count }, (_, index) => {
    const part = text.slice(index * PART_LENGTH, (index + 1) * PART_LENGTH)
    return JSON.stringify({ type: "part", session_id: sessionId, data: { index, count, text: part } })
  })
}
