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

/** The colours: what a program may set, it may ask for with the same words. */
const COLOURS = [4, 10, 11, 12]

/**
 * Keeps a terminal from answering what programs ask terminals: that was answered once, where the program runs. All that is
 * left to come out of it is what a person did.
 */
export function suppressReplies({ parser }: { parser: IParser }): void {
  for (const query of queries) parser.registerCsiHandler(query, () => true)
  parser.registerDcsHandler({ intermediates: "$", final: "q" }, () => true)
  for (const colour of COLOURS) parser.registerOscHandler(colour, (asked) => asked.includes("?"))
}

/** What a terminal says by itself when it gets the focus, or loses it: any number of tabs look at one program. */
export function isFocusReport(text: string): boolean {
  return text === "\u001b[I" || text === "\u001b[O"
}
