import type { Node, Tree } from "web-tree-sitter"
import { type ModuleSystem, readModuleSystem } from "./module-system.ts"

export interface Import {
  specifier: string
  /** The names that are taken from it, `default` among them; of a namespace none. */
  names: string[]
  line: number
}

/** The imports and exports of a JavaScript or TypeScript file. */
export interface JavaScriptModule {
  language: "javascript"
  imports: Import[]
  /** The exported names; nothing where that can't be said, as in CommonJS. */
  exports: Set<string> | undefined
  /** The specifiers of `export * from`. */
  stars: string[]
  /** The ids that it looks up in the document. */
  ids: { id: string; line: number }[]
  system: ModuleSystem
}

export function readJavaScript(tree: Tree, text: string): JavaScriptModule {
  const { rootNode } = tree
  const system = readModuleSystem(tree)
  const module: JavaScriptModule = {
    language: "javascript",
    imports: [],
    exports: new Set(),
    stars: [],
    ids: [],
    system,
  }
  for (const node of rootNode.namedChildren) {
    if (node.type === "import_statement") readImport(node, module)
    else if (node.type === "export_statement") readExport(node, module)
    else if (node.type === "ambient_declaration") module.exports = undefined
  }
  for (const call of rootNode.descendantsOfType("call_expression")) readCall(call, module)
  if (rootNode.hasError || isCommonJs(text)) module.exports = undefined
  return module
}

function isCommonJs(text: string): boolean {
  return /\bexports\b|\bmodule\b|\bdefine\b|\brequire\b|\bexport\s*=|\bexport\s+as\b/.test(text)
}

function readImport(node: Node, { imports }: JavaScriptModule): void {
  const specifier = stringIn(node.childForFieldName("source"))
  if (specifier === undefined) return
  const clause = node.namedChildren.find(({ type }) => type === "import_clause")
  const names = (clause?.namedChildren ?? []).flatMap((part) => {
    if (part.type === "identifier") return ["default"]
    return part.type === "named_imports" ? specifiersIn(part).map(nameOf) : []
  })
  imports.push({ specifier, names, line: node.startPosition.row + 1 })
}

function readExport(node: Node, module: JavaScriptModule): void {
  const specifier = stringIn(node.childForFieldName("source"))
  const clause = node.namedChildren.find(({ type }) => type === "export_clause" || type === "namespace_export")
  const line = node.startPosition.row + 1
  if (specifier !== undefined) {
    const names = clause?.type === "export_clause" ? specifiersIn(clause).map(nameOf) : []
    module.imports.push({ specifier, names, line })
    if (!clause) module.stars.push(specifier)
  }
  const isDefault = node.children.some(({ type }) => type === "default")
  const declaration = node.childForFieldName("declaration")
  const names = clause?.type === "export_clause" ? specifiersIn(clause).map(aliasOf) : []
  if (clause?.type === "namespace_export") names.push(...clause.namedChildren.map(unquoted))
  if (isDefault) names.push("default")
  else if (declaration) names.push(...declaredIn(declaration))
  else if (!clause && specifier === undefined) module.exports = undefined
  for (const name of names) module.exports?.add(name)
}

function specifiersIn(clause: Node): Node[] {
  return clause.namedChildren.filter(({ type }) => type === "import_specifier" || type === "export_specifier")
}

const nameOf = (specifier: Node) => unquoted(specifier.childForFieldName("name"))
const aliasOf = (specifier: Node) =>
  unquoted(specifier.childForFieldName("alias") ?? specifier.childForFieldName("name"))

function unquoted(node: Node | null): string {
  return node?.text.replace(/^["']|["']$/g, "") ?? ""
}

const PATTERN_NAMES = ["identifier", "shorthand_property_identifier_pattern"]

function declaredIn(declaration: Node): string[] {
  const name = declaration.childForFieldName("name")
  if (name) return [name.text]
  if (declaration.type === "ambient_declaration") return declaration.namedChildren.flatMap(declaredIn)
  return declaration.namedChildren
    .filter(({ type }) => type === "variable_declarator")
    .flatMap((one) => {
      const target = one.childForFieldName("name")
      if (!target) return []
      return target.type === "identifier"
        ? [target.text]
        : target.descendantsOfType(PATTERN_NAMES).map(({ text }) => text)
    })
}

function readCall(call: Node, module: JavaScriptModule): void {
  const callee = call.childForFieldName("function")
  const argument = stringIn(call.childForFieldName("arguments")?.namedChild(0) ?? null)
  if (!callee || argument === undefined) return
  const line = call.startPosition.row + 1
  if (callee.text === "import" || callee.text === "require") {
    if (!isIn(call, "try_statement")) module.imports.push({ specifier: argument, names: [], line })
  } else if (/^document\.(?:getElementById|querySelector)$/.test(callee.text)) {
    const id = callee.text.endsWith("Id") ? argument : /^#([A-Za-z][\w-]*)$/.exec(argument)?.[1]
    if (id !== undefined) module.ids.push({ id, line })
  }
}

function isIn(node: Node, type: string): boolean {
  for (let parent = node.parent; parent; parent = parent.parent) if (parent.type === type) return true
  return false
}

/** The value of a string without escapes. */
function stringIn(node: Node | null): string | undefined {
  if (node?.type !== "string" || node.namedChildCount > 1) return undefined
  return node.text.slice(1, -1)
}
