import { Terminal } from "@xterm/xterm"
import { suppressReplies } from "./reply-filter.ts"
import "@xterm/xterm/css/xterm.css"
import "./terminal.css"

/** Creates a terminal emulator in an element. It draws output, and doesn't send replies of its own. */
export function createTerminal(element: HTMLElement): Terminal {
  const terminal = new Terminal({
    fontFamily: '"Atkinson Hyperlegible Mono", ui-monospace, monospace',
    lineHeight: 1.2,
    minimumContrastRatio: 4.5,
    // Must equal the runner's scrollback, or its snapshots would differ from what is drawn here.
    scrollback: 1_000,
    cursorBlink: false,
    // Search decorations are a proposed API.
    allowProposedApi: true,
  })
  suppressReplies(terminal)
  terminal.open(element)
  return terminal
}

/**
 * Resolves when the text has been drawn. Only then is the next chunk requested, which slows a flood of output at its
 * source.
 */
export function written(terminal: Pick<Terminal, "write">, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => terminal.write(text, resolve))
}
