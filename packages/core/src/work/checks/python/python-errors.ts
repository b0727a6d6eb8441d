import type { Node, Tree } from "web-tree-sitter"
import { ancestorsOf } from "../facts/ancestors.ts"
import { type Fault, faultAt } from "../facts/finding.ts"

const WITH_BODY = ["function_definition", "class_definition", "if_statement", "for_statement", "while_statement"]

/** Finds faults that the grammar accepts but Python 3 rejects. */
export function checkPython({ rootNode }: Tree, text: string): Fault[] {
  const [print] = rootNode.descendantsOfType("print_statement").filter(({ text }) => !/^print\s*>>/.test(text))
  if (print) return [faultOf(print, "print is a function: its argument needs parentheses.")]
  const empty = rootNode.descendantsOfType(WITH_BODY).find((node) => !hasBody(node))
  if (empty) return [faultOf(empty, "an indented block must follow this line.")]
  const shifted = firstShifted(rootNode, text.split("\n"))
  if (shifted) return [faultOf(shifted, "the indentation differs from the previous lines in the same block.")]
  const stray = rootNode.descendantsOfType("return_statement").find((node) => !isInFunction(node))
  if (stray) return [faultOf(stray, "return is outside of a function.")]
  return rootNode.hasError ? [] : checkNames(rootNode)
}

/**
 * Finds misplaced statements, parameters and arguments. The tree must not contain parse errors, because they may cause
 * a loop's body to appear next to the loop.
 */
function checkNames(root: Node): Fault[] {
  const jump = root.descendantsOfType(["break_statement", "continue_statement"]).find((node) => !isInLoop(node))
  if (jump) return [faultOf(jump, `${jump.text} is outside of a loop.`)]
  for (const parameters of root.descendantsOfType("parameters")) {
    const names = parameters.namedChildren.flatMap(nameOfParameter)
    const twice = names.find((name, index) => names.indexOf(name) < index)
    if (twice) return [faultOf(parameters, `two parameters are named "${twice}".`)]
    const late = firstAfter(parameters.namedChildren, DEFAULTS, ["identifier", "typed_parameter"], ENDS_ORDER)
    if (late) return [faultOf(late, `the parameter "${late.text}" has no default, but one before it does.`)]
  }
  for (const list of root.descendantsOfType("argument_list")) {
    const late = firstAfter(list.namedChildren, ["keyword_argument"], POSITIONAL, [])
    if (late) return [faultOf(late, "a positional argument follows a keyword argument.")]
  }
  const wait = root.descendantsOfType("await").find((node) => isInPlainFunction(node))
  return wait ? [faultOf(wait, "await is in a function that isn't async.")] : []
}

const DEFAULTS = ["default_parameter", "typed_default_parameter"]
/** Node types that begin with a star. Parameters after a star are passed by name, in any order. */
const ENDS_ORDER = ["list_splat_pattern", "keyword_separator", "dictionary_splat_pattern"]
const POSITIONAL = ["identifier", "string", "integer", "float", "true", "false", "none", "call", "list", "dictionary"]

/**
 * Returns the first node of a `late` type that comes after a node of an `early` type. Stops at the first node of an
 * `ending` type.
 */
function firstAfter(nodes: Node[], early: string[], late: string[], ending: string[]): Node | undefined {
  const end = nodes.findIndex(({ type, text }) => ending.includes(type) || text.startsWith("*"))
  const inOrder = end < 0 ? nodes : nodes.slice(0, end)
  const start = inOrder.findIndex(({ type }) => early.includes(type))
  return start < 0 ? undefined : inOrder.slice(start).find(({ type }) => late.includes(type))
}

/** Returns true if the innermost function that contains a node isn't async. */
function isInPlainFunction(node: Node): boolean {
  const around = ancestorsOf(node).find(({ type }) => type === "lambda" || type === "function_definition")
  return around !== undefined && around.child(0)?.type !== "async"
}

function faultOf({ startPosition }: Node, message: string): Fault {
  return faultAt(startPosition.row + 1, "syntax", message)
}

function hasBody(node: Node): boolean {
  const body = node.childForFieldName("body") ?? node.childForFieldName("consequence")
  return body !== null && !body.isMissing && body.namedChildCount > 0
}

/** Returns the first statement whose indentation differs from that of its block. */
function firstShifted(root: Node, lines: string[]): Node | undefined {
  for (const block of [root, ...root.descendantsOfType("block")]) {
    const first = block.namedChildren.filter((node) => node.type !== "comment" && beginsLine(node, lines))
    const shifted = first.find((node) => indentOf(node, lines) !== indentOf(first[0] ?? node, lines))
    if (shifted) return shifted
  }
  return undefined
}

/** Returns true if a statement is the first on its line and the line isn't a continuation of the previous one. */
function beginsLine({ startPosition: { row, column } }: Node, lines: string[]): boolean {
  return (lines[row] ?? "").slice(0, column).trim() === "" && !/\\\r?$/.test(lines[row - 1] ?? "")
}

function indentOf({ startPosition: { row, column } }: Node, lines: string[]): string {
  return (lines[row] ?? "").slice(0, column).replaceAll(/[\f\ufeff]/g, "")
}

const SCOPES = ["function_definition", "class_definition"]
const LOOPS = ["for_statement", "while_statement"]

function isInLoop(node: Node): boolean {
  const around = ancestorsOf(node).find(({ type }) => [...SCOPES, ...LOOPS].includes(type))
  return around !== undefined && LOOPS.includes(around.type)
}

/** Returns a parameter's name, without its type, value or stars. Empty for a separator such as "*". */
function nameOfParameter({ text, type }: Node): string[] {
  return type === "comment" ? [] : (/^\*{0,2}\s*([\p{L}_][\p{L}\p{N}_]*)/u.exec(text)?.slice(1) ?? [])
}

function isInFunction(node: Node): boolean {
  return ancestorsOf(node).some(({ type }) => type === "function_definition")
}
