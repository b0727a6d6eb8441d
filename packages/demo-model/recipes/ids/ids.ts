/** Leaves out i, l, o and 0, which look alike. With 32 characters, each adds five random bits. */
const alphabet = "abcdefghjkmnpqrstuvwxyz123456789"

/** A random ID: with 16 characters, a billion of them have one chance in two million to hold a pair of the same. */
export function generateId(length: string | number = 16): string {
  const size = Number(length)
  if (!Number.isInteger(size) || size < 4 || size > 64) throw new Error("The length must be from 4 to 64.")
  const bytes = crypto.getRandomValues(new Uint8Array(size))
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")
}
