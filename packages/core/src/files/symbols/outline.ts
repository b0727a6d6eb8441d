import { MAX_PARSED_CHARS, withTree } from "./grammars.ts"
import { grammarOf } from "./languages.ts"
import type { FileSymbol, Outline } from "./schema.ts"
import { textFormatOf, textReaders } from "./text-symbols.ts"
import { symbolsIn } from "./tree-symbols.ts"

/**
 * Maximum average length of lines. Texts with longer lines are considered generated, so an outline of them would be
 * meaningless.
 */
const MAX_AVERAGE_LINE_CHARS = 500

/** Maximum number of declarations in an outline, including members. */
const MAX_SYMBOLS = 300

const NOTHING: Outline = { symbols: [], isCut: false }

/**
 * Returns the outline of any text in linear time. If a file has syntax errors, its outline contains the parts that can
 * be read. The outline is empty if the language is unknown, or if the file is minified or can't be parsed. Only the
 * first part of a long file is used.
 */
export async function outlineOf(path: string, text: string): Promise<Outline> {
  const part = firstLines(text)
  if (part.length / part.split("\n").length > MAX_AVERAGE_LINE_CHARS) return NOTHING
  const symbols = await readSymbols(path, part)
  if (!symbols) return NOTHING
  const shown = firstSymbols(symbols)
  return { symbols: shown.symbols, isCut: shown.isCut || part.length < text.length }
}

async function readSymbols(path: string, text: string): Promise<FileSymbol[] | undefined> {
  const grammar = grammarOf(path)
  if (grammar) return withTree(grammar, text, (tree) => symbolsIn(grammar, tree, text, MAX_SYMBOLS + 1))
  const format = textFormatOf(path)
  return format && textReaders[format](text)
}

function firstLines(text: string): string {
  if (text.length <= MAX_PARSED_CHARS) return text
  const end = text.lastIndexOf("\n", MAX_PARSED_CHARS - 1)
  return text.slice(0, end < 0 ? MAX_PARSED_CHARS : end + 1)
}

function firstSymbols(all: FileSymbol[]): Outline {
  const symbols: FileSymbol[] = []
  let left = MAX_SYMBOLS
  for (const symbol of all) {
    if (left <= 0) return { symbols, isCut: true }
    const members = symbol.members.slice(0, left - 1)
    left -= 1 + members.length
    symbols.push({ ...symbol, members })
    if (members.length < symbol.members.length) return { symbols, isCut: true }
  }
  return { symbols, isCut: false }
}
