import type { TreeCursor } from "web-tree-sitter"
import { type Fault, faultAt } from "./facts/finding.ts"

const PAIRS: Record<string, string> = { "(": ")", "[": "]", "{": "}", "${": "}" }
const CLOSING = new Set(Object.values(PAIRS))

interface Open {
  bracket: string
  line: number
}

/** The first bracket that has no partner, by the tokens of a tree: those in comments and strings are none of its tokens. */
export function checkBrackets(cursor: TreeCursor): Fault | undefined {
  const open: Open[] = []
  for (const { type, line } of tokens(cursor)) {
    if (type in PAIRS) open.push({ bracket: type, line })
    if (!CLOSING.has(type)) continue
    const last = open.pop()
    if (!last) return faultAt(line, "syntax", `unexpected "${type}", which closes nothing.`)
    if (PAIRS[last.bracket] !== type) {
      return faultAt(line, "syntax", `unexpected "${type}": the "${last.bracket}" of line ${last.line} is still open.`)
    }
  }
  const last = open.pop()
  return last && faultAt(last.line, "syntax", `the "${last.bracket}" is never closed.`)
}

/** The leaves under a cursor that are in the text. */
function* tokens(cursor: TreeCursor): Generator<{ type: string; line: number }> {
  for (;;) {
    if (cursor.gotoFirstChild()) continue
    if (!cursor.nodeIsMissing) yield { type: cursor.nodeType, line: cursor.startPosition.row + 1 }
    while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return
  }
}

/**
 * Whether a text in the manner of C has as many closing brackets as opening ones, by its characters alone: its comments,
 * strings and characters apart.
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

/** The last character of the comment or string that begins at an index; the index itself where none begins. */
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
