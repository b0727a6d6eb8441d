import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto"

/**
 * Hashes a generated secret for storage. One round of SHA-256 is enough. The secret has 160 random bits and can't be
 * guessed, so a slow hash wouldn't add any security.
 */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex")
}

/** Checks a secret against its hash in constant time. */
export function hasHash(given: string, hash: string): boolean {
  return isEqual(hashOf(given), hash)
}

/** Compares two strings in time that depends only on their lengths. */
export function isEqual(given: string, expected: string): boolean {
  const actual = Buffer.from(given)
  const wanted = Buffer.from(expected)
  return actual.length === wanted.length && timingSafeEqual(actual, wanted)
}

/** Returns 160 random bits in hexadecimal. */
export function newSecret(): string {
  return randomBytes(20).toString("hex")
}

/**
 * Signs a value with the key. The signature includes `use`, so that a text signed for one use isn't valid for another.
 */
export function signValue(key: Uint8Array, use: string, value: object): string {
  return signed(key, use, Buffer.from(JSON.stringify(value)).toString("base64url"))
}

/** Returns the signed value. Undefined if the text wasn't signed with this key for this use. */
export function verifyValue(key: Uint8Array, use: string, text: string): unknown {
  const [body = ""] = text.split(".")
  return isEqual(text, signed(key, use, body)) ? JSON.parse(Buffer.from(body, "base64url").toString()) : undefined
}

function signed(key: Uint8Array, use: string, body: string): string {
  return `${body}.${createHmac("sha256", key).update(`${use} ${body}`).digest("base64url")}`
}
