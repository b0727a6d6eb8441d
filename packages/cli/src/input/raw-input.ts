/** Key that detaches from a terminal. The program in the terminal continues to run. */
export const DETACH_KEY = "Ctrl-]"
export const DETACHED = Symbol("detached")

const DETACH = 0x1d

/** Maximum number of bytes per request. Even encoded in base64, they stay below the API's limit. */
const MAX_BYTES = 512 * 1024

/**
 * Matches the replies of this terminal to queries from the remote program. They are dropped, because the remote
 * terminal has already replied.
 */
const ANSWERS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences start with a control character
  /\u001b\[[?>=]?[\d;]*[cR]|\u001b\[\?[\d;]*\$y|\u001b\[[IO]|\u001b(?:P|\]|_)[^\u0007\u001b]*(?:\u0007|\u001b\\)/g

/**
 * Creates a sender that sends keystrokes in order, each exactly once. Input that arrives during a request is sent with
 * the next request.
 */
export function createRawInput(deps: {
  send: (seq: number, data: string) => Promise<unknown>
  leave: () => void
  fail: (error: unknown) => void
}): { type: (bytes: Buffer) => void } {
  let waiting: Buffer[] = []
  let sending = false
  let seq = 0

  async function drain(): Promise<void> {
    sending = true
    while (waiting.length > 0) {
      const bytes = Buffer.concat(waiting)
      waiting = bytes.length > MAX_BYTES ? [bytes.subarray(MAX_BYTES)] : []
      await deps.send(++seq, bytes.subarray(0, MAX_BYTES).toString("base64"))
    }
    sending = false
  }

  return {
    type(bytes) {
      const at = bytes.indexOf(DETACH)
      const meant = at === -1 ? bytes : bytes.subarray(0, at)
      // Decode one character per byte, because a chunk may end in the middle of a UTF-8 sequence.
      const typed = Buffer.from(meant.toString("latin1").replace(ANSWERS, ""), "latin1")
      if (typed.length > 0) waiting.push(typed)
      if (at !== -1) return deps.leave()
      if (!sending) drain().catch(deps.fail)
    },
  }
}
