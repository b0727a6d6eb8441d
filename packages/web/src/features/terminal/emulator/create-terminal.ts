import { createCharacterKeeper } from "@switchyard/core/agents/terminals/whole-characters"
import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes"
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
    // Search decorations and Unicode versions are proposed APIs.
    allowProposedApi: true,
  })
  // Must be the same as the runner's, or characters after an emoji would be in other columns than in its snapshots.
  terminal.loadAddon(new UnicodeGraphemesAddon())
  decodeWhole(terminal)
  suppressReplies(terminal)
  terminal.open(element)
  return terminal
}

interface Internals {
  _core: { _inputHandler: { _utf8Decoder: { decode(input: Uint8Array, target: Uint32Array): number } } }
}

/** Lets the emulator decode whole characters only. */
function decodeWhole(terminal: Terminal): void {
  const { _utf8Decoder: decoder } = (terminal as unknown as Internals)._core._inputHandler
  const decode = decoder.decode.bind(decoder)
  const keepWhole = createCharacterKeeper()
  decoder.decode = (input, target) => decode(keepWhole(input), target)
}

/**
 * Resolves when the text has been drawn. Only then is the next chunk requested, which slows a flood of output at its
 * source.
 */
export function written(terminal: Pick<Terminal, "write">, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => terminal.write(text, resolve))
}
