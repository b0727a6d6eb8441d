/** Final output of a supervisor: the number of bytes that its program hadn't read. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of a terminal begin with one
const UNREAD = /\u001b_sy-unread;(\d+)\u001b\\$/
const LONGEST = 40
const REMEMBERED = 1000

/**
 * Separates a supervisor's final output from the program's output. If there is no final output, returns 0 unread bytes.
 */
export function takeUnread(printed: Uint8Array): { rest: Uint8Array; unreadBytes: number } {
  const [words = "", number = "0"] = UNREAD.exec(Buffer.from(printed).subarray(-LONGEST).toString("latin1")) ?? []
  return { rest: printed.subarray(0, printed.length - words.length), unreadBytes: Number(number) }
}

interface Typed {
  sizeBytes: number
  /**
   * True if a person typed text. False for keys that only answer a prompt or end a program, because losing them is
   * harmless.
   */
  isText: boolean
}

/** Tracks the latest input to a program. */
export function createTypedKeys() {
  const pieces: Typed[] = []
  return {
    add(piece: Typed): void {
      pieces.push(piece)
      if (pieces.length > REMEMBERED) pieces.shift()
    },
    /** Returns true if the last `lastBytes` bytes contain text that a person typed. */
    hasTextIn(lastBytes: number): boolean {
      let left = lastBytes
      for (const { sizeBytes, isText } of pieces.toReversed()) {
        if (left <= 0) return false
        if (isText) return true
        left -= sizeBytes
      }
      return false
    },
  }
}
