import type { Node, Tree } from "web-tree-sitter"
import { type Fault, faultAt, quoted } from "../facts/finding.ts"

/**
 * Finds missing semicolons in C-like code. A parse error alone proves nothing, because a macro can stand for any code.
 * Therefore, the lines must also look like the end of one statement and the start of another.
 */
export function checkSemicolons({ rootNode }: Tree, text: string): Fault[] {
  if (!rootNode.hasError) return []
  const type = rootNode.namedChildren.find(isUnendedType)?.childForFieldName("type")
  if (type) return [missingAfter(type.endPosition.row, "}")]
  const lines = text.split(/\r?\n/)
  const row = [...faultyRows(rootNode)]
    .flatMap((row) => [row, previousRow(lines, row)])
    .find((row) => isCut(lines, row))
  return row === undefined ? [] : [missingAfter(row, lines[row] ?? "")]
}

/**
 * Returns true if the parser took a type with a body for the return type of a function, although another type follows
 * it. This happens if the `;` after the type is missing.
 */
function isUnendedType(node: Node): boolean {
  const type = node.type === "function_definition" ? node.childForFieldName("type") : null
  if (!type?.childForFieldName("body") || type.hasError) return false
  return /^(?:class|struct|enum|union)_/.test(type.type) && type.nextSibling?.isError === true
}

function missingAfter(row: number, text: string): Fault {
  return faultAt(row + 1, "syntax", `";" is missing after "${quoted(text)}".`)
}

/** Yields the first and last row (0-based) of each error node and each missing node. */
function* faultyRows(node: Node): Generator<number> {
  if (node.isError || node.isMissing) yield* [node.startPosition.row, node.endPosition.row]
  for (const child of node.children) if (child.hasError || child.isError || child.isMissing) yield* faultyRows(child)
}

function previousRow(lines: string[], row: number): number {
  return lines.findLastIndex((line, index) => index < row && line.trim() !== "")
}

/** Matches a declaration with a value, an assignment, or a return. */
const STATEMENT =
  /^\s+(?:return\b[^;{}]*|(?:[A-Za-z_][\w:<>]*[\s*&]+){0,3}[A-Za-z_][\w.[\]]*(?:->\w+)*\s*[-+*/|&]?=(?!=)[^;{}#\\]*)[\w)\]"']\s*(?:\/\/.*)?$/
const NEXT =
  /^\s*(?:\}(?!\s*[;,\w])|(?:return|if|for|while|do|switch|break|continue|int|char|double|float|long|void|bool|auto|const|var|string|printf|std::\w+|Console\.\w+)\b)/

/** Returns true if a line is a statement without a semicolon, and the next line begins a statement or ends a block. */
function isCut(lines: string[], row: number): boolean {
  const next = lines.find((line, index) => index > row && line.trim() !== "") ?? ""
  const isComplete = count(lines[row] ?? "", /[([]/g) === count(lines[row] ?? "", /[)\]]/g)
  return isComplete && STATEMENT.test(lines[row] ?? "") && NEXT.test(next)
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
