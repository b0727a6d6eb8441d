import type { TerminalFrame } from "@switchyard/core/agents/terminals/schema"
import { openEmulator, parse } from "@switchyard/runner/terminals/screen"
import { serializeTerminal } from "@switchyard/runner/terminals/serialize"

/** Creates a terminal like a browser's, which draws its input and can report its screen. */
export function createViewer(size: { rows: number; cols: number }) {
  const terminal = openEmulator(size)
  return {
    terminal,
    write: (bytes: Uint8Array | string) => parse(terminal, Buffer.from(bytes)),
    serialize: () => serializeTerminal(terminal, 1000),
    looks: () => looksOf(terminal),
    text: () => {
      const { active } = terminal.buffer
      const lines = Array.from({ length: terminal.rows }, (_, row) => active.getLine(active.baseY + row))
      return lines.map((line) => line?.translateToString(true) ?? "").join("\n")
    },
  }
}

export function drawFrame(
  { terminal, write }: ReturnType<typeof createViewer>,
  frame: TerminalFrame | { type: "heartbeat" },
): void {
  if (frame.type === "snapshot") {
    terminal.reset()
    terminal.resize(frame.cols, frame.rows)
    write(frame.screen)
  } else if (frame.type === "bytes") write(frame.bytes)
  else if (frame.type === "resized") terminal.resize(frame.cols, frame.rows)
}

/** Returns every cell of the screen with its colors, the cursor, and the modes. */
function looksOf(terminal: ReturnType<typeof openEmulator>) {
  const { active } = terminal.buffer
  const rows = Array.from({ length: terminal.rows }, (_, row) =>
    Array.from({ length: terminal.cols }, (_, column) => {
      const cell = active.getLine(active.baseY + row)?.getCell(column)
      if (!cell) return ""
      const lines = [cell.isUnderline(), cell.isInverse()].map(Boolean)
      const foreground = [cell.getFgColorMode(), cell.getFgColor(), cell.isBold(), cell.isDim(), cell.isItalic()]
      // An empty cell shows no foreground color.
      const shown = /\S/.test(cell.getChars()) || lines.includes(true) ? foreground.map(Number) : []
      const background = [cell.getBgColorMode(), cell.getBgColor()]
      return `${cell.getChars() || " "}|${cell.getWidth()}|${background}|${lines}|${shown}`
    }).join(" "),
  )
  const { cursorX, cursorY, type } = active
  return { rows, cursor: [cursorX, cursorY], type, modes: terminal.modes }
}
