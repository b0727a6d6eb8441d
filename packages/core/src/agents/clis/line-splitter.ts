/**
 * Splits a stream of bytes into lines, whatever its chunks. A line is decoded as a whole, so no character is split; invalid
 * UTF-8 becomes U+FFFD.
 */
export function createLineSplitter(): { push(bytes: Uint8Array): string[]; end(): string[] } {
  let rest: Uint8Array[] = []
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

  function takeLine(last: Uint8Array): string {
    const line = Buffer.concat([...rest, last])
    rest = []
    return decoder.decode(line.at(-1) === RETURN ? line.subarray(0, -1) : line)
  }

  return {
    push(bytes) {
      const lines: string[] = []
      let from = 0
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
        lines.push(takeLine(bytes.subarray(from, at)))
        from = at + 1
      }
      // Copied, which `slice` of a Buffer is not: the reader of a pipe may reuse the memory.
      if (from < bytes.length) rest.push(Uint8Array.from(bytes.subarray(from)))
      return lines
    },
    end: () => (rest.length > 0 ? [takeLine(new Uint8Array())] : []),
  }
}

const NEWLINE = 10
const RETURN = 13
