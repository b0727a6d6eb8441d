import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto"

/**
 * Hashes a generated secret for storage. One round of SHA-256 is enough: 160 random bits can't be guessed, so a slow
 * hash would only slow us down.
 */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex")
}

/** Checks a secret against its hash in constant time. */
export function hasHash(given: string, hash: string): boolean {
  return isEqual(hashOf(given), hash)
}

/** Compares two texts in a time that depends only on their lengths. */
export function isEqual(given: string, expected: string): boolean {
  const actual = Buffer.from(given)
  const wanted = Buffer.from(expected)
  return actual.length === wanted.length && timingSafeEqual(actual, wanted)
}

/** Returns 160 random bits as hexadecimal digits. */
export function newSecret(): string {
  return randomBytes(20).toString("hex")
}

/** Returns a value as text that only this key can make. `use` separates the kinds of texts. */
export function signValue(key: Uint8Array, use: string, value: object): string {
  return signed(key, use, Buffer.from(JSON.stringify(value)).toString("base64url"))
}

/** Returns the signed value, or undefined if this key didn't make the text for this use. */
export function verifyValue(key: Uint8Array, use: string, text: string): unknown {
  const [body = ""] = text.split(".")
  return isEqual(text, signed(key, use, body)) ? JSON.parse(Buffer.from(body, "base64url").toString()) : undefined
}

function signed(key: Uint8Array, use: string, body: string): string {
  return `${body}.${createHmac("sha256", key).update(`${use} ${body}`).digest("base64url")}`
}
