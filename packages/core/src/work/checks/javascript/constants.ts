import type { Node, Tree } from "web-tree-sitter"
import { type Fault, faultAt } from "../facts/finding.ts"

/** Node types that define names. */
const DECLARING = [
  "variable_declarator",
  "for_in_statement",
  "formal_parameters",
  "arrow_function",
  "catch_clause",
  "import_clause",
  "function_declaration",
  "generator_function_declaration",
  "function_expression",
  "class_declaration",
  "class",
  "enum_declaration",
]
const FIELDS = ["name", "left", "parameter"]
const NAMES = ["identifier", "shorthand_property_identifier_pattern"]
const FUNCTION = /^(?:program|arrow_function|(?:generator_)?function(?:_declaration|_expression)?|method_definition)$/
const SCOPE =
  /^(?:statement_block|for_statement|for_in_statement|switch_body|class_static_block|catch_clause|class_body)$/
const CHANGES = ["assignment_expression", "augmented_assignment_expression", "update_expression"]

/** Finds assignments to constants, which throw an error at run time. */
export function checkConstants({ rootNode }: Tree): Fault[] {
  if (rootNode.hasError) return []
  const changed = rootNode.descendantsOfType(CHANGES).flatMap((node) => {
    const target = node.childForFieldName("left") ?? node.childForFieldName("argument")
    return target?.type === "identifier" ? [target] : []
  })
  if (changed.length === 0) return []
  const made = declarationsIn(rootNode)
  return changed.flatMap((target) => {
    const declaration = innermost(target, made.get(target.text) ?? [])
    if (!declaration || !isConstant(declaration)) return []
    const line = declaration.startPosition.row + 1
    const message = `"${target.text}" is a const (line ${line}) and can't be reassigned. Declare it with let.`
    return [faultAt(target.startPosition.row + 1, "changed_constant", message)]
  })
}

/** Returns the nodes that define each name in a file. */
function declarationsIn(root: Node): Map<string, Node[]> {
  const made = new Map<string, Map<number, Node>>()
  for (const node of root.descendantsOfType(DECLARING)) {
    const parts = /parameters|clause/.test(node.type)
      ? [node]
      : FIELDS.flatMap((field) => node.childForFieldName(field) ?? [])
    for (const part of parts) {
      const body = part.childForFieldName("body")
      for (const name of part.descendantsOfType(NAMES)) {
        // Names in the clause's body aren't defined by the clause.
        if (body && name.startIndex >= body.startIndex) continue
        const names = made.get(name.text) ?? new Map<number, Node>()
        made.set(name.text, names.set(name.startIndex, name))
      }
    }
  }
  return new Map([...made].map(([name, nodes]) => [name, [...nodes.values()]]))
}

function isConstant(name: Node): boolean {
  const declarator = name.parent
  if (declarator?.type === "for_in_statement") return declarator.childForFieldName("kind")?.text === "const"
  const isSimple = declarator?.type === "variable_declarator" && declarator.childForFieldName("name")?.id === name.id
  return isSimple && declarator.parent?.childForFieldName("kind")?.text === "const"
}

/**
 * Returns the definition that a use refers to. If one scope has several definitions, prefers one that isn't constant.
 */
function innermost(use: Node, declarations: Node[]): Node | undefined {
  return declarations
    .map((name) => ({ name, scope: scopeOf(name) }))
    .filter(({ scope }) => scope.startIndex <= use.startIndex && use.endIndex <= scope.endIndex)
    .sort((a, b) => sizeOf(a.scope) - sizeOf(b.scope) || Number(isConstant(a.name)) - Number(isConstant(b.name)))[0]
    ?.name
}

function sizeOf({ startIndex, endIndex }: Node): number {
  return endIndex - startIndex
}

function scopeOf(name: Node): Node {
  const isVar = name.parent?.type === "variable_declarator" && name.parent.parent?.type === "variable_declaration"
  // The name of a function, class or enum is defined in the outer scope.
  const isOwn = /^(?:(?:generator_)?function|class|enum)_declaration$/.test(name.parent?.type ?? "")
  let scope = (isOwn ? name.parent?.parent : name.parent) ?? name
  while (scope.parent && !FUNCTION.test(scope.type) && (isVar || !SCOPE.test(scope.type))) scope = scope.parent
  return scope
}
