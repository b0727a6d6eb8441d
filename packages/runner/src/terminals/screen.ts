import type { TerminalFrame } from "@switchyard/core/agents/terminals/schema"
import headless from "@xterm/headless"
import { serializeTerminal } from "./serialize.ts"

/** A terminal that nobody looks at: it knows what one would show. */
export interface Screen {
  readonly rows: number
  readonly cols: number
  /**
   * Draws the bytes. False if the emulator failed at them: then some of them are lost, and whoever draws them elsewhere
   * must be given a snapshot instead.
   */
  write(bytes: Uint8Array): boolean
  resize(rows: number, cols: number): void
  /** What brings an empty terminal of this size to this state. Only true between two sequences. */
  serialize(scrollback: number): string
  /** What a person would read, without the lines that scrolled away. */
  text(): string
  dispose(): void
}

export const SCROLLBACK_LINES = 1000

/** `answer` hears what a program is told that asks the terminal something. */
export function createScreen(size: { rows: number; cols: number }, answer: (text: string) => void): Screen {
  const terminal = openEmulator(size)
  terminal.onData(answer)
  return {
    get rows() {
      return terminal.rows
    },
    get cols() {
      return terminal.cols
    },
    write: (bytes) => parse(terminal, bytes),
    resize: (rows, cols) => terminal.resize(cols, rows),
    serialize: (scrollback) => serializeTerminal(terminal, scrollback),
    text() {
      const { active } = terminal.buffer
      const lines = Array.from({ length: terminal.rows }, (_, row) => active.getLine(active.baseY + row))
      return lines
        .map((line) => line?.translateToString(true) ?? "")
        .join("\n")
        .trimEnd()
    },
    dispose: () => terminal.dispose(),
  }
}

/** What a terminal showed last, drawn anew. */
export async function lastScreen(frames: AsyncIterable<TerminalFrame>): Promise<string> {
  const screen = createScreen({ rows: 24, cols: 80 }, () => {})
  try {
    for await (const frame of frames) {
      if (frame.type === "snapshot") screen.write(Buffer.from("\u001bc"))
      if (frame.type === "snapshot" || frame.type === "resized") screen.resize(frame.rows, frame.cols)
      if (frame.type === "snapshot") screen.write(Buffer.from(frame.screen))
      if (frame.type === "bytes") screen.write(frame.bytes)
    }
    return screen.text()
  } finally {
    screen.dispose()
  }
}

/** As every viewer's: the same emulator, with the same settings, so that the same bytes look the same. */
export function openEmulator(size: { rows: number; cols: number }): headless.Terminal {
  return new headless.Terminal({ ...size, scrollback: SCROLLBACK_LINES, allowProposedApi: true, logLevel: "off" })
}

interface Parser {
  _core: { _inputHandler: { parse(bytes: Uint8Array): unknown; _parser: { reset(): void } } }
}

/**
 * At once, past xterm's own queue: what it throws there, and some bytes make it throw, would end the process; and the
 * state after these very bytes is what a snapshot is of.
 */
export function parse(terminal: headless.Terminal, bytes: Uint8Array): boolean {
  const { _inputHandler } = (terminal as unknown as Parser)._core
  let whole = true
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    try {
      _inputHandler.parse(bytes.subarray(from, from + PIECE_BYTES))
    } catch {
      // A fault of the emulator, not of ours or of the program: go on with what comes.
      _inputHandler._parser.reset()
      whole = false
    }
  }
  return whole
}

/** No more is lost when the emulator fails. */
const PIECE_BYTES = 4096
