/** Maximum length of a line. No message is this long, even with base64 images. */
const MAX_LINE_BYTES = 64 * 1024 * 1024

/**
 * Splits a byte stream into lines, regardless of its chunks. Decodes whole lines, so characters are never split.
 * Invalid UTF-8 becomes U+FFFD. A line that exceeds the limit becomes empty and isn't kept in memory, because a program
 * may write forever.
 */
export function createLineSplitter(maxBytes = MAX_LINE_BYTES): { push(bytes: Uint8Array): string[]; end(): string[] } {
  let rest: Uint8Array[] = []
  let size = 0
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

  function takeLine(last: Uint8Array): string {
    keep(last)
    const line = Buffer.concat(rest)
    rest = []
    size = 0
    return decoder.decode(line.at(-1) === RETURN ? line.subarray(0, -1) : line)
  }

  function keep(bytes: Uint8Array): void {
    size += bytes.length
    if (size > maxBytes) rest = []
    else rest.push(bytes)
  }

  return {
    push(bytes) {
      const lines: string[] = []
      let from = 0
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
        lines.push(takeLine(bytes.subarray(from, at)))
        from = at + 1
      }
      // Copy the bytes, because the code that reads the pipe may reuse the memory. A Buffer's `slice` wouldn't copy
      // them.
      if (from < bytes.length) keep(Uint8Array.from(bytes.subarray(from)))
      return lines
    },
    end: () => (size > 0 ? [takeLine(new Uint8Array())] : []),
  }
}

const NEWLINE = 10
const RETURN = 13
