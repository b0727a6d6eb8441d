import { Terminal } from "@xterm/xterm"
import { suppressReplies } from "./reply-filter.ts"
import "@xterm/xterm/css/xterm.css"
import "./terminal.css"

/** A terminal in an element. It shows, and says nothing by itself. */
export function createTerminal(element: HTMLElement): Terminal {
  const terminal = new Terminal({
    fontFamily: '"Atkinson Hyperlegible Mono", ui-monospace, monospace',
    lineHeight: 1.2,
    minimumContrastRatio: 4.5,
    // As many lines as the runner keeps, or its pictures would not be what is drawn here.
    scrollback: 1_000,
    cursorBlink: false,
    // The marks of a search count as proposed.
    allowProposedApi: true,
  })
  suppressReplies(terminal)
  terminal.open(element)
  return terminal
}

/** Resolves when it is drawn: the next piece is asked for no sooner, so a flood waits where it comes from. */
export function written(terminal: Pick<Terminal, "write">, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => terminal.write(text, resolve))
}
