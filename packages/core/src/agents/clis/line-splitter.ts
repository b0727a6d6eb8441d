/**
 * Cuts a stream of bytes into lines, however it was cut before. A line is decoded whole, so no character is torn; what is
 * no UTF-8 becomes U+FFFD.
 */
export function createLines(): { push(bytes: Uint8Array): string[]; end(): string[] } {
  let rest: Uint8Array[] = []
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

  function take(last: Uint8Array): string {
    const line = Buffer.concat([...rest, last])
    rest = []
    return decoder.decode(line.at(-1) === RETURN ? line.subarray(0, -1) : line)
  }

  return {
    push(bytes) {
      const lines: string[] = []
      let from = 0
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
        lines.push(take(bytes.subarray(from, at)))
        from = at + 1
      }
      // Copied, which `slice` of a Buffer is not: whoever reads a pipe may use the same memory again.
      if (from < bytes.length) rest.push(Uint8Array.from(bytes.subarray(from)))
      return lines
    },
    end: () => (rest.length > 0 ? [take(new Uint8Array())] : []),
  }
}

const NEWLINE = 10
const RETURN = 13
