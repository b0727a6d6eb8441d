import type { InboxMessage } from "@switchyard/core/agents/terminals/schema"

/**
 * Matches text. Doesn't match keys that only answer a prompt or end a program, because losing such keys is harmless
 * once the program has exited.
 */
const TEXT = /[^\p{Cc}]|[\r\n]/u

/** True if a person typed text. False for keys that only answer a prompt or end a program. */
export function isTextInput(message: InboxMessage): boolean {
  return message.type === "terminal_input" && hasText(Buffer.from(message.data, "base64"))
}

/** True if the keys contain text. False for keys that only answer a prompt or end a program. */
export function hasText(keys: Uint8Array): boolean {
  const text = `${Buffer.from(keys)}`
  return !text.startsWith("\u001b") && TEXT.test(text)
}
