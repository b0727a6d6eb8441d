import type { IParser } from "@xterm/xterm"

const queries = [
  { final: "c" },
  { prefix: ">", final: "c" },
  { final: "n" },
  { prefix: "?", final: "n" },
  { intermediates: "$", final: "p" },
  { prefix: "?", intermediates: "$", final: "p" },
  { final: "t" },
]

/** Colour sequences, which programs use both to set and to query colours. */
const COLOURS = [4, 10, 11, 12]

/**
 * Keeps the emulator from replying to queries, because the runner's emulator has already replied. The only data that it
 * emits is what the user typed.
 */
export function suppressReplies({ parser }: { parser: IParser }): void {
  for (const query of queries) parser.registerCsiHandler(query, () => true)
  parser.registerDcsHandler({ intermediates: "$", final: "q" }, () => true)
  for (const colour of COLOURS) parser.registerOscHandler(colour, (query) => query.includes("?"))
}

/**
 * Returns true for the report that an emulator emits when it gains or loses focus. It isn't sent, because any number of
 * tabs may be watching the program.
 */
export function isFocusReport(text: string): boolean {
  return text === "\u001b[I" || text === "\u001b[O"
}
