import type { Node, Tree } from "web-tree-sitter"
import { quoted } from "./finding.ts"

/** A statement that is valid in only one of the two module systems. */
export interface SystemUse {
  text: string
  line: number
}

/** Top-level statements that determine a script's module system. */
export interface ModuleSystem {
  /** The first import or export. */
  module?: SystemUse
  /** The first `require`, `module.exports` or `exports`, unless the script itself defines that name. */
  common?: SystemUse
}

/** Determines the module system that a script requires. */
export function readModuleSystem({ rootNode }: Tree): ModuleSystem {
  const module = rootNode.namedChildren.find(({ type }) => type === "import_statement" || type === "export_statement")
  const commons = rootNode.namedChildren.flatMap((node) => commonIn(node) ?? [])
  const common = commons.find(({ name }) => !isDeclared(rootNode, name))?.node
  return { ...(module && { module: useOf(module) }), ...(common && { common: useOf(common) }) }
}

const COMMON = /^(?:module\.exports|exports)(?:\.\w+)?$/

/** Returns the CommonJS name in a top-level statement, if the statement contains one. */
function commonIn(statement: Node): { node: Node; name: string } | undefined {
  const [expression] = statement.type === "expression_statement" ? statement.namedChildren : []
  const target = expression?.type === "assignment_expression" ? expression.childForFieldName("left") : undefined
  if (target && COMMON.test(target.text)) return { node: statement, name: target.text.split(".", 1)[0] ?? "" }
  if (!/^(?:lexical|variable)_declaration$/.test(statement.type)) return undefined
  const value = statement.namedChild(0)?.childForFieldName("value")
  const call = value?.type === "member_expression" ? value.childForFieldName("object") : value
  const callee = call?.type === "call_expression" ? call.childForFieldName("function")?.text : undefined
  return callee === "require" ? { node: statement, name: "require" } : undefined
}

/** Returns true if the script defines this name in any scope. */
function isDeclared(root: Node, name: string): boolean {
  const made = [
    ...root.descendantsOfType("variable_declarator"),
    ...root.descendantsOfType("function_declaration"),
    ...root.descendantsOfType("import_specifier"),
  ]
  return made.some((node) => (node.childForFieldName("alias") ?? node.childForFieldName("name"))?.text === name)
}

function useOf(node: Node): SystemUse {
  return { text: quoted(node.text), line: node.startPosition.row + 1 }
}
