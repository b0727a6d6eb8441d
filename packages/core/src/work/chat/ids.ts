import { randomBytes } from "node:crypto"

/** Returns the id of a turn whose client sent none. */
export function newRequestId(now: number): string {
  return `${now}-${randomBytes(5).toString("hex")}`
}

/** Returns the id of a conversation, which starts with its time of creation. */
export function newChatId(now: number): string {
  return `sess_${now}_${randomBytes(3).toString("hex")}`
}
