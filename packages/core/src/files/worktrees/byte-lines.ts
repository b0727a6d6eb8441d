const NEWLINE = 0x0a

/** Lines of a byte array, without newlines. Bytes after the last newline also count as a line. */
export interface Lines {
  /** Returns the next line without consuming it, or undefined at the end. */
  peek(): Uint8Array | undefined
  take(): Uint8Array | undefined
}

export function linesOf(bytes: Uint8Array): Lines {
  let position = 0
  let next: Uint8Array | undefined

  function read(): Uint8Array | undefined {
    if (position >= bytes.length) return undefined
    const newline = bytes.indexOf(NEWLINE, position)
    const end = newline === -1 ? bytes.length : newline
    const line = bytes.subarray(position, end)
    position = end + 1
    return line
  }

  function peek(): Uint8Array | undefined {
    next ??= read()
    return next
  }

  function take(): Uint8Array | undefined {
    const line = peek()
    next = undefined
    return line
  }
  return { peek, take }
}

/** Decodes bytes, and records whether all of them were valid UTF-8. A byte order mark is kept as part of the text. */
export type TextReader = ReturnType<typeof createTextReader>

export function createTextReader() {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  const lossy = new TextDecoder("utf-8", { ignoreBOM: true })
  let valid = true
  function read(bytes: Uint8Array): string {
    try {
      return strict.decode(bytes)
    } catch {
      // In fatal mode, the decoder throws if and only if the input isn't valid UTF-8.
      valid = false
      return lossy.decode(bytes)
    }
  }
  return {
    read,
    /** Returns true if everything read so far was valid UTF-8. */
    isUtf8: () => valid,
  }
}
