import { type CompleterResult, createInterface } from "node:readline"
import type { ReadStream } from "node:tty"

export interface LinePrompt {
  /** The next message; undefined once the person leaves. Between messages, Ctrl-C is an interrupt of the process. */
  next(options: { signal: AbortSignal }): Promise<string | undefined>
  close(): void
}

interface LinePromptDeps {
  input: ReadStream
  output: NodeJS.WritableStream
  /** The newest first. */
  history: string[]
  complete: (line: string) => Promise<CompleterResult>
}

/** Has the terminal mark what is pasted, however many pieces it arrives in, and end that. */
const MARK_PASTES = "\x1b[?2004h"
const LEAVE_PASTES = "\x1b[?2004l"

/**
 * Reads messages from a terminal. Lines that are pasted together are one message: Enter ends it where the terminal marks
 * pastes, else the end of what arrived at once.
 */
export function createLinePrompt({ input, output, history, complete }: LinePromptDeps): LinePrompt {
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

  /** A paste arrives at once: what is left in the line belongs to the same message, which ends with it. */
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
  // The lines of a message that has several would come back one by one.
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
    async next({ signal }) {
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
    close: () => lines.close(),
  }
}
