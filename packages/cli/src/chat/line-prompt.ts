import { type CompleterResult, createInterface } from "node:readline"
import type { ReadStream } from "node:tty"

interface LinePromptDeps {
  input: ReadStream
  output: NodeJS.WritableStream
  /** Earlier messages, newest first. */
  history: string[]
  complete: (line: string) => Promise<CompleterResult>
}

/** Turns on bracketed paste mode, in which the terminal marks the start and end of pasted text. */
const MARK_PASTES = "\x1b[?2004h"
const LEAVE_PASTES = "\x1b[?2004l"

/**
 * Reads messages from a terminal. Lines that are pasted together are one message. If the terminal marks pasted text,
 * the message ends when the user presses Enter. Otherwise, it ends after the lines that arrived at the same time.
 */
export function createLinePrompt({ input, output, history, complete }: LinePromptDeps) {
  const lines = createInterface({
    ...{ input, output, history, prompt: "> ", terminal: true, historySize: 500, removeHistoryDuplicates: true },
    completer: (line: string, done: (error: Error | null, result: CompleterResult) => void) => {
      complete(line).then(
        (found) => done(null, found),
        () => done(null, [[], line]),
      )
    },
  })
  let entered: string[] = []
  let isPasting = false
  let isClosed = false
  let resolve: (message: string | undefined) => void = () => {}

  /**
   * Ends a message, unless there is text in the current line. Pasted text arrives all at once, so text in the current
   * line still belongs to the message.
   */
  const flush = () => {
    if (entered.length === 0 || lines.line !== "") return
    const message = entered.join("\n")
    entered = []
    resolve(message)
  }
  lines.on("line", (line) => {
    entered.push(line)
    if (!isPasting) setImmediate(flush)
  })
  // Don't add messages with several lines to the history, because it would offer each line separately.
  lines.on("history", (known) => {
    if (isPasting || entered.length > 0) known.shift()
  })
  input.on("keypress", (_: string | undefined, { name }: { name?: string }) => {
    if (name === "paste-start") isPasting = true
    if (name === "paste-end") isPasting = false
  })
  lines.on("SIGINT", () => {
    if (entered.length === 0 && lines.line === "") return resolve(undefined)
    entered = []
    lines.write(null, { ctrl: true, name: "e" })
    lines.write(null, { ctrl: true, name: "u" })
  })
  lines.on("close", () => {
    isClosed = true
    output.write(LEAVE_PASTES)
    resolve(undefined)
  })
  pause()

  function pause() {
    lines.pause()
    output.write(LEAVE_PASTES)
    input.setRawMode(false)
  }

  return {
    /** Returns the next message. Undefined if the user leaves. Between messages, Ctrl-C interrupts the process. */
    async next({ signal }: { signal: AbortSignal }): Promise<string | undefined> {
      signal.throwIfAborted()
      if (isClosed) return undefined
      const answered = new AbortController()
      try {
        return await new Promise<string | undefined>((done, fail) => {
          resolve = done
          signal.addEventListener("abort", () => fail(signal.reason), { once: true, signal: answered.signal })
          input.setRawMode(true)
          lines.resume()
          output.write(MARK_PASTES)
          lines.prompt()
        })
      } finally {
        answered.abort()
        if (!isClosed) pause()
      }
    },
    close: (): void => lines.close(),
  }
}
