import { randomBytes } from "node:crypto"

/** Returns a request ID for a turn whose client didn't send one. */
export function newRequestId(now: number): string {
  return `${now}-${randomBytes(5).toString("hex")}`
}

/** Returns the ID of a new conversation, which begins with the creation time. */
export function newChatId(now: number): string {
  return `sess_${now}_${randomBytes(3).toString("hex")}`
}
