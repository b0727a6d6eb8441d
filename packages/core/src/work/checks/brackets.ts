import type { TreeCursor } from "web-tree-sitter"
import { type Fault, faultAt } from "./facts/finding.ts"

const PAIRS: Record<string, string> = { "(": ")", "[": "]", "{": "}", "${": "}" }
const CLOSING = new Set(Object.values(PAIRS))

interface Open {
  bracket: string
  line: number
}

/**
 * Returns the first unmatched bracket in a tree. Ignores brackets in comments and strings, because they aren't tokens.
 */
export function checkBrackets(cursor: TreeCursor): Fault | undefined {
  const open: Open[] = []
  for (const { type, line } of tokens(cursor)) {
    if (type in PAIRS) open.push({ bracket: type, line })
    if (!CLOSING.has(type)) continue
    const last = open.pop()
    if (!last) return faultAt(line, "syntax", `unexpected "${type}" without an opening bracket.`)
    if (PAIRS[last.bracket] !== type) {
      return faultAt(line, "syntax", `unexpected "${type}": the "${last.bracket}" in line ${last.line} is still open.`)
    }
  }
  const last = open.pop()
  return last && faultAt(last.line, "syntax", `the "${last.bracket}" is never closed.`)
}

/** Yields the leaves under a cursor, except those that the parser inserted. */
function* tokens(cursor: TreeCursor): Generator<{ type: string; line: number }> {
  for (;;) {
    if (cursor.gotoFirstChild()) continue
    if (!cursor.nodeIsMissing) yield { type: cursor.nodeType, line: cursor.startPosition.row + 1 }
    while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return
  }
}

/**
 * Returns true if each kind of bracket is opened as often as it is closed in a C-like text. Skips comments, strings and
 * character literals.
 */
export function isBalanced(text: string): boolean {
  const counts = { "(": 0, "[": 0, "{": 0 }
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index)
    if (char === "(" || char === "[" || char === "{") counts[char]++
    else if (char === ")") counts["("]--
    else if (char === "]") counts["["]--
    else if (char === "}") counts["{"]--
    else if (char === "/" || char === '"' || char === "'") index = lastOfQuoted(text, index)
  }
  return Object.values(counts).every((count) => count === 0)
}

/**
 * Returns the index of the last character of the comment or string that begins at `start`. Returns `start` if neither
 * begins there.
 */
function lastOfQuoted(text: string, start: number): number {
  if (text.startsWith("/*", start)) return orEnd(text, text.indexOf("*/", start + 2) + 1)
  if (text.startsWith("//", start)) return orEnd(text, text.indexOf("\n", start))
  const quote = text.charAt(start)
  if (quote === "/") return start
  for (let index = start + 1; index < text.length; index++) {
    const char = text.charAt(index)
    if (char === quote || char === "\n") return index
    if (char === "\\") index++
  }
  return text.length
}

function orEnd(text: string, index: number): number {
  return index <= 0 ? text.length : index
}
