import { randomBytes } from "node:crypto"

/** The id of a turn whose client gave it none. */
export function newRequestId(now: number): string {
  return `${now}-${randomBytes(5).toString("hex")}`
}

/** The id of a conversation, which begins with the time of its beginning. */
export function newChatId(now: number): string {
  return `sess_${now}_${randomBytes(3).toString("hex")}`
}
