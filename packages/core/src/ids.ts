import { createHash, randomBytes } from "node:crypto"

export type IdPrefix =
  | "acc"
  | "run"
  | "bat"
  | "evt"
  | "exe"
  | "tc"
  | "tok"
  | "ws"
  | "pty"
  | "trn"
  | "cmd"
  | "que"
  | "agt"
  | "msg"
  | "whk"
  | "trg"
  | "wkr"
  | "ght"
  | "key"
  | "ghk"
  | "bko"
  | "pub"

/**
 * Creates an ID such as `run_01jd3v…`. IDs sort by time in milliseconds, and are unique because they contain 80 random
 * bits. They must not be used to order events.
 */
export type NewId = (prefix: IdPrefix) => string

export function createNewId(now: () => number = Date.now): NewId {
  return (prefix) => `${prefix}_${timePart(now())}${randomPart()}`
}

/**
 * Returns a session's internal name, which is a hash of its owner and its public ID. Callers may choose any ID, but
 * can't use it to take or probe another owner's session, and each owner has a `default` session.
 */
export function sessionKey(owner: string, sessionId: string): string {
  return createHash("sha256").update(`${owner}\0${sessionId}`).digest("hex").slice(0, 32)
}

// Crockford's base 32: lower case, without i, l, o and u. Ten digits hold 50 bits of milliseconds.
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"

function timePart(ms: number): string {
  let rest = ms
  let text = ""
  for (let i = 0; i < 10; i++) {
    text = DIGITS[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

function randomPart(): string {
  return Array.from(randomBytes(16), (byte) => DIGITS[byte % 32]).join("")
}
