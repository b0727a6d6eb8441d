import type { TerminalFrame } from "@switchyard/core/agents/terminals/schema"
import { createCharacterKeeper } from "@switchyard/core/agents/terminals/whole-characters"
import headless from "@xterm/headless"
import { UnicodeGraphemesAddon } from "./graphemes.ts"
import { serializeTerminal } from "./serialize.ts"

/** Terminal without a display. It tracks what a real terminal would show. */
export interface Screen {
  readonly rows: number
  readonly cols: number
  /**
   * Draws the bytes. Returns false if some of them were lost because of an error in the emulator. Viewers then need a
   * snapshot.
   */
  write(bytes: Uint8Array): boolean
  resize(rows: number, cols: number): void
  /**
   * Returns output that restores the screen's state in an empty terminal of the same size. The output is only correct
   * between escape sequences.
   */
  serialize(scrollback: number): string
  /** Returns the visible text, excluding the scrollback. */
  text(): string
  dispose(): void
}

export const SCROLLBACK_LINES = 1000

/** Creates a screen. `answer` receives the replies that the terminal gives to a program's queries. */
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

/** Returns the text on a terminal's last screen by replaying the terminal's log. */
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

/** Creates the emulator that viewers use, with the same settings, so that the same bytes look the same. */
export function openEmulator(size: { rows: number; cols: number }): headless.Terminal {
  const settings = { scrollback: SCROLLBACK_LINES, allowProposedApi: true, logLevel: "off" } as const
  const terminal = new headless.Terminal({ ...size, ...settings })
  // Without this addon, an emoji would take one column, as in Unicode 6. Programs and viewers assume two columns.
  terminal.loadAddon(new UnicodeGraphemesAddon())
  const { _utf8Decoder: decoder } = inputHandlerOf(terminal)
  const decode = decoder.decode.bind(decoder)
  const keepWhole = createCharacterKeeper()
  decoder.decode = (input, target) => decode(keepWhole(input), target)
  return terminal
}

interface InputHandler {
  parse(bytes: Uint8Array): unknown
  _parser: { reset(): void }
  _utf8Decoder: { decode(input: Uint8Array, target: Uint32Array): number }
}

function inputHandlerOf(terminal: headless.Terminal): InputHandler {
  return (terminal as unknown as { _core: { _inputHandler: InputHandler } })._core._inputHandler
}

/**
 * Parses synchronously and bypasses xterm's queue. In the queue, errors on certain bytes would end this process. A
 * snapshot also needs the state after exactly these bytes. Returns false if bytes were lost.
 */
export function parse(terminal: headless.Terminal, bytes: Uint8Array): boolean {
  const inputHandler = inputHandlerOf(terminal)
  let whole = true
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    try {
      inputHandler.parse(bytes.subarray(from, from + PIECE_BYTES))
    } catch {
      // The emulator has a bug. Continue with the next bytes.
      inputHandler._parser.reset()
      whole = false
    }
  }
  return whole
}

/** Size of a chunk, which is the most that is lost if the emulator fails. */
const PIECE_BYTES = 4096
