import { isBuiltin } from "node:module"
import type { Node, Tree } from "web-tree-sitter"
import { ancestorsOf } from "./ancestors.ts"
import { type ElementNames, readElementNames } from "./element-names.ts"
import { readJavaScriptNames } from "./javascript-names.ts"
import { type Members, readMembers } from "./member-uses.ts"
import { type ModuleSystem, readModuleSystem } from "./module-system.ts"
import type { Names } from "./names.ts"

export interface Import {
  specifier: string
  /** Imported names, including `default`. For a namespace import, these are the members that the script reads. */
  names: string[]
  line: number
}

/** Imports and exports of a JavaScript or TypeScript file. */
export interface JavaScriptModule {
  language: "javascript"
  imports: Import[]
  /** Exported names. Undefined if they can't be determined, as in most CommonJS modules. */
  exports: Set<string> | undefined
  /** Specifiers of `export * from`. */
  stars: string[]
  /** Element IDs and classes that the file mentions. */
  elements: ElementNames
  members: Members
  system: ModuleSystem
  /** Names in the file. Empty if part of the file can't be parsed. */
  names: Names
}

export function readJavaScript(tree: Tree, text: string): JavaScriptModule {
  const { rootNode } = tree
  const system = readModuleSystem(tree)
  const module: JavaScriptModule = {
    language: "javascript",
    imports: [],
    exports: new Set(),
    stars: [],
    elements: readElementNames(tree),
    members: readMembers(tree),
    system,
    names: rootNode.hasError ? { bound: new Set(), unbound: [] } : readJavaScriptNames(tree),
  }
  for (const node of rootNode.namedChildren) {
    if (node.type === "import_statement") readImport(node, module)
    else if (node.type === "export_statement") readExport(node, module)
    else if (node.type === "ambient_declaration") module.exports = undefined
  }
  for (const call of rootNode.descendantsOfType("call_expression")) readCall(call, module)
  if (rootNode.hasError) module.exports = undefined
  else if (isCommonJs(text)) module.exports = system.module ? undefined : commonExports(rootNode, text)
  return module
}

function isCommonJs(text: string): boolean {
  return /\bexports\b|\bmodule\b|\bdefine\b|\brequire\b|\bexport\s*=|\bexport\s+as\b/.test(text)
}

/** Returns the exports of a CommonJS module that exports a single object literal. */
function commonExports(root: Node, text: string): Set<string> | undefined {
  if ((text.match(/\bexports\b/g)?.length ?? 0) !== 1) return undefined
  const value = root.namedChildren
    .filter(({ type }) => type === "expression_statement")
    .map((node) => node.namedChild(0))
    .find((node) => node?.childForFieldName("left")?.text === "module.exports")
    ?.childForFieldName("right")
  if (value?.type !== "object") return undefined
  const names = value.namedChildren.map((one) => {
    if (one.type === "shorthand_property_identifier") return one.text
    const name = one.childForFieldName(one.type === "method_definition" ? "name" : "key")
    return name?.type === "property_identifier" ? name.text : undefined
  })
  return names.every((name) => name !== undefined) ? new Set(names) : undefined
}

/** Returns the names destructured directly from a `require` call. */
function requiredNames(call: Node): string[] {
  const { parent } = call
  const pattern = parent?.type === "variable_declarator" ? parent.childForFieldName("name") : null
  if (pattern?.type !== "object_pattern") return []
  return pattern.namedChildren.flatMap((one) => {
    if (one.type === "shorthand_property_identifier_pattern") return [one.text]
    const key = one.type === "pair_pattern" ? one.childForFieldName("key") : null
    return key?.type === "property_identifier" ? [key.text] : []
  })
}

/**
 * Returns the members of a namespace that the script reads. Empty if the script also uses the namespace in any other
 * way.
 */
function membersOf(root: Node, namespace: string): string[] {
  const members = new Set<string>()
  for (const { text, parent } of root.descendantsOfType("identifier")) {
    if (text !== namespace || parent?.type === "namespace_import" || parent?.type === "import_clause") continue
    const property = parent?.type === "member_expression" ? parent.childForFieldName("property") : null
    const isRead = property !== null && parent?.childForFieldName("object")?.text === namespace
    if (!isRead || parent?.parent?.childForFieldName("left")?.id === parent?.id) return []
    members.add(property?.text ?? "")
  }
  return [...members]
}

function readImport(node: Node, { imports }: JavaScriptModule): void {
  const specifier = stringIn(node.childForFieldName("source"))
  if (specifier === undefined) return
  const clause = node.namedChildren.find(({ type }) => type === "import_clause")
  const names = (clause?.namedChildren ?? []).flatMap((part) => {
    if (part.type === "identifier")
      return ["default", ...(isBuiltin(specifier) ? membersOf(node.tree.rootNode, part.text) : [])]
    if (part.type === "namespace_import") return membersOf(node.tree.rootNode, part.namedChild(0)?.text ?? "")
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
  if (callee.text !== "import" && (callee.text !== "require" || isGiven(call, "require"))) return
  if (ancestorsOf(call).some(({ type }) => type === "try_statement")) return
  module.imports.push({ specifier: argument, names: callee.text === "require" ? requiredNames(call) : [], line })
}

/**
 * Returns true if a surrounding function has a parameter with this name. In a bundle, `require` is such a parameter and
 * resolves the bundle's own modules.
 */
function isGiven(call: Node, name: string): boolean {
  return ancestorsOf(call).some((around) =>
    around.childForFieldName("parameters")?.namedChildren.some(({ text }) => text === name),
  )
}

/** Returns the value of a string literal. Undefined if the string contains escapes. */
function stringIn(node: Node | null): string | undefined {
  if (node?.type !== "string" || node.namedChildCount > 1) return undefined
  return node.text.slice(1, -1)
}
