import type { Node, Tree } from "web-tree-sitter"
import { ancestorsOf } from "./ancestors.ts"
import { type FlaskUse, readFlask } from "./flask.ts"
import type { NameUse } from "./names.ts"
import { readPythonNames } from "./python-names.ts"

export interface PythonImport {
  /** Number of leading dots. */
  level: number
  module: string
  /** Imported names. Empty for `import a.b`. */
  names: string[]
  line: number
}

/** Imports and exports of a Python file. */
export interface PythonModule {
  language: "python"
  imports: PythonImport[]
  /**
   * Every name at module level, whether it is defined or only used. Undefined if the file may define names dynamically.
   */
  names: Set<string> | undefined
  /** Names that the file uses but doesn't define. Empty if the file may define names dynamically. */
  unbound: NameUse[]
  flask: FlaskUse
}

export function readPython(tree: Tree, text: string): PythonModule {
  const { rootNode } = tree
  const names = new Set<string>()
  collectNames(rootNode, names)
  for (const node of rootNode.descendantsOfType("global_statement"))
    for (const { text } of node.namedChildren) names.add(text)
  const isOpen = rootNode.hasError || isDynamic(text) || rootNode.descendantsOfType("wildcard_import").length > 0
  return {
    language: "python",
    imports: rootNode.descendantsOfType(["import_statement", "import_from_statement"]).flatMap(readImport),
    names: isOpen ? undefined : names,
    flask: readFlask(tree, text),
    unbound: isOpen ? [] : readPythonNames(tree).unbound,
  }
}

function isDynamic(text: string): boolean {
  return /\b(?:__getattr__|globals|exec|vars|locals|setattr|sys\.modules|__dict__|lazy\w*)\b/.test(text)
}

function collectNames(node: Node, names: Set<string>): void {
  for (const child of node.namedChildren) {
    if (child.type === "identifier") names.add(child.text)
    else if (child.type === "function_definition" || child.type === "class_definition") {
      const name = child.childForFieldName("name")
      if (name) names.add(name.text)
    } else collectNames(child, names)
  }
}

function readImport(node: Node): PythonImport[] {
  if (isOptional(node)) return []
  const line = node.startPosition.row + 1
  const names = node.childrenForFieldName("name").map((name) => (name.childForFieldName("name") ?? name).text)
  if (node.type === "import_statement") return names.map((module) => ({ level: 0, module, names: [], line }))
  const from = node.childForFieldName("module_name")?.text ?? ""
  const module = from.replace(/^[.\s]+/, "")
  return [{ level: from.length - from.replaceAll(".", "").length - module.split(".").length + 1, module, names, line }]
}

/** Returns true if an import is optional, serves only type checking, or is inside a function. */
function isOptional(node: Node): boolean {
  return ancestorsOf(node).some(({ type }) => /^(?:try|if|with)_statement$|^function_definition$/.test(type))
}
