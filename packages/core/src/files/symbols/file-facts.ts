import type { Node, Tree } from "web-tree-sitter"
import { trimWhere } from "../../trim.ts"
import { type Grammar, grammarOf, MAX_PARSED_CHARS, withTree } from "./grammars.ts"
import type { FileFacts, FileImport } from "./schema.ts"
import { symbolsIn } from "./tree-symbols.ts"

const MAX_SYMBOLS = 300
const MAX_IMPORTS = 200
const MAX_CALLS = 200
const MAX_NAME_CHARS = 100
/** Lines longer than that on average are no person's. */
const MAX_AVERAGE_LINE_CHARS = 500

export type CodeLanguage = Exclude<Grammar, "css" | "html">

/** The language of a file of code by its name; undefined for everything else. */
export function codeLanguageOf(path: string): CodeLanguage | undefined {
  const grammar = grammarOf(path)
  return grammar === "css" || grammar === "html" ? undefined : grammar
}

/** The facts about a file of code; none where it isn't code, is minified or can't be parsed. */
export async function factsOf(path: string, text: string): Promise<FileFacts | undefined> {
  const language = codeLanguageOf(path)
  if (!language || text.length > MAX_PARSED_CHARS) return undefined
  if (text.length > MAX_AVERAGE_LINE_CHARS && text.length / text.split("\n").length > MAX_AVERAGE_LINE_CHARS) {
    return undefined
  }
  return withTree(language, text, (tree) => ({
    symbols: symbolsIn(language, tree, text, MAX_SYMBOLS),
    imports: importsIn(language, tree),
    calls: callsIn(language, tree),
  }))
}

const JAVASCRIPT_IMPORTS = ["import_statement", "export_statement", "call_expression"]

/** The nodes that can be an import. */
const IMPORTS: Record<CodeLanguage, string[]> = {
  c: ["preproc_include"],
  cpp: ["preproc_include"],
  csharp: ["using_directive"],
  go: ["import_spec"],
  java: ["import_declaration"],
  javascript: JAVASCRIPT_IMPORTS,
  php: ["namespace_use_clause", "require_expression", "require_once_expression", "include_expression"],
  python: ["import_statement", "import_from_statement"],
  ruby: ["call"],
  rust: ["use_declaration", "mod_item"],
  tsx: JAVASCRIPT_IMPORTS,
  typescript: JAVASCRIPT_IMPORTS,
}

function importsIn(language: CodeLanguage, { rootNode }: Tree): FileImport[] {
  const nodes = rootNode.descendantsOfType(IMPORTS[language])
  const imports = nodes.flatMap((node) => (node ? readImport(language, node) : []))
  return imports.filter(({ module }) => module.length > 0 && module.length <= 300).slice(0, MAX_IMPORTS)
}

function readImport(language: CodeLanguage, node: Node): FileImport[] {
  switch (language) {
    case "python":
      return pythonImport(node)
    case "javascript":
    case "typescript":
    case "tsx":
      return javascriptImport(node)
    case "ruby":
      return rubyImport(node)
    case "rust":
      return rustImport(node)
    default:
      return otherImport(node)
  }
}

function pythonImport(node: Node): FileImport[] {
  const from = node.childForFieldName("module_name")
  const named = node.childrenForFieldName("name").flatMap((name) => (name ? [withoutAlias(name)] : []))
  if (from) return [{ module: from.text, names: named }]
  return named.map((module) => ({ module, names: [] }))
}

function withoutAlias(node: Node): string {
  return (node.type === "aliased_import" ? (node.childForFieldName("name") ?? node) : node).text
}

function javascriptImport(node: Node): FileImport[] {
  const called = node.type === "call_expression" ? node.childForFieldName("function")?.text : undefined
  const isCall = called === "require" || called === "import"
  const source = isCall ? node.childForFieldName("arguments")?.namedChild(0) : node.childForFieldName("source")
  if (source?.type !== "string") return []
  const names = node.descendantsOfType(["import_specifier", "export_specifier"]).flatMap((one) => {
    const name = one?.childForFieldName("name")?.text
    return name === undefined ? [] : [name]
  })
  return [{ module: unquoted(source.text), names }]
}

function rubyImport(node: Node): FileImport[] {
  const method = node.childForFieldName("method")?.text
  const path = node.childForFieldName("arguments")?.namedChild(0)
  if (path?.type !== "string" || (method !== "require" && method !== "require_relative")) return []
  const module = unquoted(path.text)
  return [{ module: method === "require_relative" && !module.startsWith(".") ? `./${module}` : module, names: [] }]
}

/** `mod name;` leads to a file; one with a body is in this one. */
function rustImport(node: Node): FileImport[] {
  if (node.type === "use_declaration") return [{ module: node.childForFieldName("argument")?.text ?? "", names: [] }]
  const name = node.childForFieldName("body") ? undefined : node.childForFieldName("name")?.text
  return name === undefined ? [] : [{ module: `./${name}`, names: [] }]
}

function otherImport(node: Node): FileImport[] {
  const path = node.childForFieldName("path") ?? node.childForFieldName("name") ?? node.lastNamedChild
  return path ? [{ module: unquoted(path.text), names: [] }] : []
}

function unquoted(text: string): string {
  return trimWhere(text, (char) => QUOTES.has(char))
}

const QUOTES = new Set("\"'`<>()")

const CALLS = ["call_expression", "new_expression"]
const CALL_NODES: Record<CodeLanguage, string[]> = {
  ...{ c: CALLS, cpp: CALLS, javascript: CALLS, typescript: CALLS, tsx: CALLS, go: CALLS, rust: CALLS },
  csharp: ["invocation_expression", "object_creation_expression"],
  java: ["method_invocation", "object_creation_expression"],
  php: ["function_call_expression", "member_call_expression", "scoped_call_expression", "object_creation_expression"],
  python: ["call"],
  ruby: ["call"],
}

const MAX_CALL_NODES = 2000

/** The last part of each name that is called: `a.b.c()` calls `c`. */
function callsIn(language: CodeLanguage, { rootNode }: Tree): string[] {
  const names = new Set<string>()
  for (const node of rootNode.descendantsOfType(CALL_NODES[language]).slice(0, MAX_CALL_NODES)) {
    const called =
      node && ["function", "method", "name", "constructor", "type"].map((field) => node.childForFieldName(field))
    const text = called?.find((one) => one !== null)?.text ?? ""
    const name =
      text
        .slice(-MAX_NAME_CHARS)
        .split(/[^\p{L}\p{N}_$]/u)
        .at(-1) ?? ""
    if (/^[\p{L}_$]/u.test(name)) names.add(name)
    if (names.size >= MAX_CALLS) break
  }
  return [...names]
}
