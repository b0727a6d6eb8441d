/** Leaves a terminal to itself. */
export const DETACH_KEY = "Ctrl-]"
export const DETACHED = Symbol("detached")

const DETACH = 0x1d

/** At most that in one request: in base64 it is below what the API takes. */
const MAX_BYTES = 512 * 1024

/**
 * What a terminal answers to questions that a program on the other side has put to it: the one there has answered them
 * already.
 */
const ANSWERS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of a terminal begin with one
  /\u001b\[[?>=]?[\d;]*[cR]|\u001b\[\?[\d;]*\$y|\u001b\[[IO]|\u001b(?:P|\]|_)[^\u0007\u001b]*(?:\u0007|\u001b\\)/g

/** Sends what is typed in its order, each piece once, gathering what comes while a piece is on its way. */
export function createTyping(deps: {
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
      // As bytes, one character each: what is typed may be cut within a letter.
      const typed = Buffer.from(meant.toString("latin1").replace(ANSWERS, ""), "latin1")
      if (typed.length > 0) waiting.push(typed)
      if (at !== -1) return deps.leave()
      if (!sending) drain().catch(deps.fail)
    },
  }
}
