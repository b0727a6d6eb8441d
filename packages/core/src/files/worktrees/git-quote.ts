const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 }

/** Unquotes a path that git quoted with C-style escapes. Returns other text unchanged. */
export function unquotePath(text: string): string {
  if (!/^".*"$/s.test(text)) return text
  const inside = text.slice(1, -1)
  if (!inside.includes("\\")) return inside
  const bytes: number[] = []
  const encoder = new TextEncoder()
  for (const [piece, , octal, letter] of inside.matchAll(/(\\([0-7]{3})|\\(.))|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff)
    else if (letter !== undefined) bytes.push(ESCAPES[letter] ?? letter.charCodeAt(0))
    else for (const byte of encoder.encode(piece)) bytes.push(byte)
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes))
}
