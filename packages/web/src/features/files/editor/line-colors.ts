import { highlightTree } from "@lezer/highlight"
import type { Span } from "../../../ui/code-text.tsx"
import { codeColors } from "./code-colors.ts"
import { type LanguageId, loadLanguage } from "./language.ts"

/** Longer texts, and texts with longer lines, aren't coloured: they are generated or minified. */
const MOST_LETTERS = 100_000
const MOST_LETTERS_OF_LINE = 1000

/** Returns the colours of consecutive lines of code. */
export type LineColors = (lines: readonly string[]) => readonly Span[][]

export async function loadLineColors(id: LanguageId): Promise<LineColors> {
  const { language } = await loadLanguage(id)
  return (lines) => {
    const colours = lines.map((): Span[] => [])
    const text = lines.join("\n")
    if (text.length > MOST_LETTERS || lines.some(({ length }) => length > MOST_LETTERS_OF_LINE)) return colours
    let line = 0
    let start = 0
    highlightTree(language.parser.parse(text), codeColors, (from, to, classes) => {
      // A part may extend over several lines.
      for (let at = from; at < to; ) {
        while (at > start + (lines[line]?.length ?? 0)) start += (lines[line++]?.length ?? 0) + 1
        const end = Math.min(to, start + (lines[line]?.length ?? 0))
        if (end > at) colours[line]?.push([at - start, end - start, classes])
        at = end + 1
      }
    })
    return colours
  }
}
