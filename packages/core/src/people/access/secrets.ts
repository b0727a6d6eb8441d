import { createHash, randomBytes, timingSafeEqual } from "node:crypto"

/**
 * The stored form of a secret that we made. One round of SHA-256 is enough: with 160 random bits there is nothing to
 * guess, so nothing that a slow hash would slow down but ourselves.
 */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex")
}

/** Whether this is the secret of that hash, in a time that says nothing of how much of it is right. */
export function hasHash(given: string, hash: string): boolean {
  return isEqual(hashOf(given), hash)
}

/** Whether two texts are the same, in a time that depends on nothing but how long they are. */
export function isEqual(given: string, expected: string): boolean {
  const actual = Buffer.from(given)
  const wanted = Buffer.from(expected)
  return actual.length === wanted.length && timingSafeEqual(actual, wanted)
}

/** 160 bits that nobody can guess, as hexadecimal digits. */
export function newSecret(): string {
  return randomBytes(20).toString("hex")
}
