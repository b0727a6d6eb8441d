/**
 * Creates a function that returns its input up to the last complete UTF-8 character, and prepends the remaining bytes
 * to the next input. This is needed because xterm.js 6.0 loses a character that arrives in pieces if its second byte is
 * 0x80. Dashes, quotes and joiners are such characters.
 */
export function createCharacterKeeper(): (bytes: Uint8Array) => Uint8Array {
  let rest = new Uint8Array()
  return (bytes) => {
    const all = new Uint8Array(rest.length + bytes.length)
    all.set(rest)
    all.set(bytes, rest.length)
    const end = endOfCharacters(all)
    rest = all.slice(end)
    return all.subarray(0, end)
  }
}

/** Returns the start of the last character if some of its bytes are missing, or else the length. */
function endOfCharacters(bytes: Uint8Array): number {
  for (let back = 1; back < 4 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
