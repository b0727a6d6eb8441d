/** Leaves out l, o, I, O, 0 and 1, which look alike. With 64 characters, each is equally likely. */
const kinds = ["abcdefghijkmnpqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789", "!#%+:=?@"]
const alphabet = kinds.join("")

/** A random password with characters of all four kinds. The length may be text, as people type it. */
export function generatePassword(length: string | number): string {
  const size = Number(length)
  if (!Number.isInteger(size) || size < 8 || size > 128) throw new Error("The length must be from 8 to 128.")
  for (;;) {
    const password = randomText(size)
    if (kinds.every((kind) => [...kind].some((character) => password.includes(character)))) return password
  }
}

function randomText(size: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(size))
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")
}
