import { Terminal } from "@xterm/xterm"
import { suppressReplies } from "./reply-filter.ts"
import "@xterm/xterm/css/xterm.css"
import "./terminal.css"

/** An emulator in an element. It draws output, and sends no replies of its own. */
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

/** Resolves when the text is drawn. The next chunk is requested only then, so a flood is held back at its source. */
export function written(terminal: Pick<Terminal, "write">, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => terminal.write(text, resolve))
}
