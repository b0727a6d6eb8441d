import * as nodeModules from "node:module"
import type { Node, Tree } from "web-tree-sitter"
import type { Grammar } from "../../files/symbols/languages.ts"
import { checkBrackets, isBalanced } from "./brackets.ts"
import { ancestorsOf } from "./facts/ancestors.ts"
import { type Fault, faultAt, quoted } from "./facts/finding.ts"
import { checkPython } from "./python/python-errors.ts"

/**
 * Reliability of each grammar's errors. Some grammars know less than the compilers, or can't handle macros and `#if`.
 * For such a grammar, only unmatched brackets are reported, or nothing at all.
 *
 * The grammars of C, C++ and CSS reject about half of all valid source files, and C#'s grammar rejects one in fifty.
 * TypeScript's grammar rejects one in 250, so Node must confirm its errors. Rust's grammar rejects one in eighty.
 * Errors of the grammars of Rust and TSX are trusted, except for known gaps.
 */
const TRUST = {
  c: "brackets",
  cpp: "brackets",
  csharp: "brackets",
  css: "brackets",
  go: "all",
  html: "none",
  java: "all",
  javascript: "all",
  php: "all",
  python: "all",
  ruby: "all",
  rust: "all",
  tsx: "all",
  typescript: "witnessed",
} as const satisfies Record<Grammar, "all" | "witnessed" | "brackets" | "none">

/** Languages with macros or `#if`, so a parse error alone proves nothing. */
const C_LIKE: ReadonlySet<Grammar> = new Set<Grammar>(["c", "cpp", "csharp"])

/** Text that a grammar rejects although the compiler accepts it. */
const KNOWN_GAPS: Partial<Record<Grammar, RegExp>> = {
  // export { nothing as null }
  javascript: /^as \w/,
}

/**
 * Lines that the TSX grammar may reject although the compiler accepts them: labelled tuples, variance, exported types.
 */
const TSX_GAPS = /\[\s*\w+\??\s*:|\b(?:in|out)\s+\w+|export type \*|<<|^\s*[)>}]/

/**
 * Lines that the Rust grammar may reject: older and newer keywords, bounds on `()`, and macros, which may contain
 * anything.
 */
const RUST_GAPS = /\$|\btry!|\braw\b|\bsafe\s+fn\b|\(\):|^\s*where\b|^\s*TokenTree::/
const RUST_MACROS: ReadonlySet<string> = new Set([
  "macro_definition",
  "macro_invocation",
  "token_tree",
  "token_tree_pattern",
])

/** Returns the first syntax error in a source file if it is certainly an error. */
export function checkSyntax(grammar: Grammar, tree: Tree, text: string): Fault[] {
  const trust = TRUST[grammar]
  if (trust === "none") return []
  if (!tree.rootNode.hasError) return grammar === "python" ? checkPython(tree, text) : []
  if (C_LIKE.has(grammar) && (/^[ \t]*#[ \t]*(?:if|else|elif|define)/m.test(text) || isBalanced(text))) return []
  const bracket = unpaired(tree)
  if (bracket || trust === "brackets") return bracket ? [bracket] : []
  if (trust === "witnessed" && !isRefusedByNode(text)) return []
  const node = firstError(tree.rootNode)
  if (!node || KNOWN_GAPS[grammar]?.test(node.text)) return []
  const line = text.split("\n")[node.startPosition.row] ?? ""
  if (grammar === "tsx" && TSX_GAPS.test(line)) return []
  if (grammar === "rust" && (RUST_GAPS.test(line) || isInMacro(node))) return []
  return [describe(node)]
}

/**
 * Returns true if Node's built-in compiler also finds that the source isn't valid TypeScript. False if this version of
 * Node has no such compiler.
 */
function isRefusedByNode(text: string): boolean {
  try {
    nodeModules.stripTypeScriptTypes?.(text, { mode: "transform" })
    return false
  } catch (error) {
    const { code } = error as { code?: unknown }
    // Rethrow other errors to end the thread, because the compiler stays broken in a thread after deeply nested text.
    if (!/_TYPESCRIPT_SYNTAX$/.test(String(code))) throw error
    return code === "ERR_INVALID_TYPESCRIPT_SYNTAX"
  }
}

function unpaired(tree: Tree): Fault | undefined {
  const cursor = tree.walk()
  try {
    return checkBrackets(cursor)
  } finally {
    cursor.delete()
  }
}

/** Returns the deepest node that contains the first error: a node that the parser couldn't match or had to insert. */
function firstError(root: Node): Node | undefined {
  let node = root
  for (;;) {
    const next = node.children.find((child) => child.hasError || child.isMissing || child.isError)
    if (!next) return node.isError || node.isMissing ? node : undefined
    node = next
  }
}

function isInMacro(node: Node): boolean {
  return RUST_MACROS.has(node.type) || ancestorsOf(node).some(({ type }) => RUST_MACROS.has(type))
}

function describe(node: Node): Fault {
  const line = node.startPosition.row + 1
  if (node.isMissing) return faultAt(line, "syntax", `"${node.type}" is missing.`)
  const shown = quoted(node.text)
  if (node.endPosition.row === node.startPosition.row) return faultAt(line, "syntax", `syntax error at "${shown}".`)
  const reach = `lines ${line} to ${node.endPosition.row + 1}`
  return faultAt(line, "syntax", `syntax error: ${reach} can't be parsed; they begin with "${shown}".`)
}
