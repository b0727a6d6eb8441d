import type { Node, Tree } from "web-tree-sitter"
import type { NameUse } from "./names.ts"

/** A Python file's use of Flask. */
export interface FlaskUse {
  /** Route functions that never return or raise anything. */
  silent: NameUse[]
  /** Templates that the file renders. */
  templates: NameUse[]
}

const ROUTE = /^@[\w.]+\.(?:route|get|post|put|delete|patch)\(/
const ANSWERS = ["return_statement", "raise_statement", "yield"]

/** Collects a file's use of Flask. Empty if the file doesn't import Flask. */
export function readFlask({ rootNode }: Tree, text: string): FlaskUse {
  if (rootNode.hasError || !/^[ \t]*(?:from flask import|import flask\b)/m.test(text))
    return { silent: [], templates: [] }
  const silent = rootNode.descendantsOfType("decorated_definition").flatMap((node) => silentRoute(node))
  const templates = rootNode.descendantsOfType("call").flatMap((call) => templateOf(call))
  return { silent, templates }
}

function silentRoute(node: Node): NameUse[] {
  const definition = node.childForFieldName("definition")
  const decorators = node.namedChildren.filter(({ type }) => type === "decorator")
  // A function with other decorators may get its response from them, so skip it.
  if (definition?.type !== "function_definition" || !decorators.every(({ text }) => ROUTE.test(text))) return []
  const answers = definition
    .descendantsOfType(ANSWERS)
    .some((one) => one.type !== "return_statement" || one.namedChildCount > 0)
  if (answers || /\babort\(/.test(definition.text)) return []
  const name = definition.childForFieldName("name")
  return name ? [{ name: name.text, line: name.startPosition.row + 1 }] : []
}

function templateOf(call: Node): NameUse[] {
  if (call.childForFieldName("function")?.text !== "render_template") return []
  const first = call.childForFieldName("arguments")?.namedChild(0)
  const name = first?.type === "string" ? /^["']([\w./-]+)["']$/.exec(first.text)?.[1] : undefined
  return name === undefined ? [] : [{ name, line: call.startPosition.row + 1 }]
}
