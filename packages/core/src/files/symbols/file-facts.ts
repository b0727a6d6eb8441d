import type { Node, Tree } from "web-tree-sitter"
import { trimWhere } from "../../text/trim.ts"
import { MAX_PARSED_CHARS, withTree } from "./grammars.ts"
import { type CodeLanguage, codeLanguageOf } from "./languages.ts"
import type { FileFacts, FileImport } from "./schema.ts"
import { symbolsIn } from "./tree-symbols.ts"

const MAX_SYMBOLS = 300
const MAX_IMPORTS = 200
const MAX_CALLS = 200
const MAX_NAME_CHARS = 100
/** Maximum average length of lines. Texts with longer lines are considered generated. */
const MAX_AVERAGE_LINE_CHARS = 500

/** Returns facts about a code file. Undefined if the file isn't code, is minified, or can't be parsed. */
export async function factsOf(path: string, text: string): Promise<FileFacts | undefined> {
  const language = codeLanguageOf(path)
  if (!language || text.length > MAX_PARSED_CHARS) return undefined
  if (text.length > MAX_AVERAGE_LINE_CHARS && text.length / text.split("\n").length > MAX_AVERAGE_LINE_CHARS) {
    return undefined
  }
  return withTree(language, text, (tree) => ({
    symbols: symbolsIn(language, tree, text, MAX_SYMBOLS),
    ...importsAndCalls(language, tree, text),
  }))
}

const JAVASCRIPT_IMPORTS = ["import_statement", "export_statement", "call_expression"]

/** Types of nodes that may be imports. */
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

/** Types of nodes for the names in a JavaScript import. */
const SPECIFIERS = ["import_specifier", "export_specifier"]

/**
 * Returns imports and calls, using a single walk over the tree, because walking and reading fields take most of the
 * time. Node texts are sliced from the file's text, because reading them from the nodes is slow.
 */
function importsAndCalls(
  language: CodeLanguage,
  { rootNode }: Tree,
  text: string,
): Pick<FileFacts, "imports" | "calls"> {
  const isImport = new Set(IMPORTS[language])
  const isCall = new Set(CALL_NODES[language])
  const isJavaScript = IMPORTS[language] === JAVASCRIPT_IMPORTS
  const imports: FileImport[] = []
  const calls = createCallNames(text)
  /** Statement to which the specifiers after it may belong. */
  let statement = { end: 0, names: [] as string[] }
  const wanted = new Set([...isImport, ...isCall, ...(isJavaScript ? SPECIFIERS : [])])
  const found = rootNode.descendantsOfType([...wanted])
  for (const [at, node] of found.entries()) {
    const { type } = node
    if (isJavaScript && isCall.has(type)) {
      // If several calls start at the same position, the last one that is found is the innermost.
      const callee = found[at + 1]?.startIndex === node.startIndex ? undefined : plainCallee(node, text)
      if (callee === undefined) calls.add(node)
      else calls.addName(callee)
      const requires =
        type === "call_expression" && (callee === undefined || callee === "require" || callee === "import")
      const called = requires ? requiredBy(node, text) : undefined
      if (called) imports.push(called)
      continue
    }
    if (isCall.has(type)) calls.add(node)
    if (!isJavaScript) {
      if (isImport.has(type)) imports.push(...readImport(language, node))
    } else if (isImport.has(type)) {
      const found = importAt(node.childForFieldName("source"), text)
      if (found) imports.push(found)
      if (found) statement = { end: node.endIndex, names: found.names }
    } else if (SPECIFIERS.includes(type) && node.startIndex < statement.end) {
      const name = node.childForFieldName("name")
      if (name) statement.names.push(textOf(name, text))
    }
  }
  const valid = imports.filter(({ module }) => module.length > 0 && module.length <= 300)
  return { imports: valid.slice(0, MAX_IMPORTS), calls: calls.names() }
}

function textOf({ startIndex, endIndex }: Node, text: string): string {
  return text.slice(startIndex, endIndex)
}

function readImport(language: CodeLanguage, node: Node): FileImport[] {
  switch (language) {
    case "python":
      return pythonImport(node)
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

/** Returns an import without names, because its specifiers come later in the walk. */
function importAt(source: Node | null | undefined, text: string): FileImport | undefined {
  return source?.type === "string" ? { module: unquoted(textOf(source, text)), names: [] } : undefined
}

/** Returns the import made by a `require` or `import` call. */
function requiredBy(call: Node, text: string): FileImport | undefined {
  if (!text.startsWith("require", call.startIndex) && !text.startsWith("import", call.startIndex)) return undefined
  const called = call.childForFieldName("function")
  // A longer callee can't be `require` or `import`, and reading it could be slow, because it may be a long chain of
  // calls.
  if (!called || called.endIndex - called.startIndex > "require".length) return undefined
  const name = textOf(called, text)
  if (name !== "require" && name !== "import") return undefined
  return importAt(call.childForFieldName("arguments")?.namedChild(0), text)
}

/** Matches a name or dotted name directly before the opening parenthesis of a call. */
const PLAIN_CALLEE = /(?:new )?([A-Za-z_$][\w$]*(?:\??\.#?[A-Za-z_$][\w$]*)*)\(/y

/**
 * Returns the callee of the innermost call at this position if it is a plain or dotted name. Otherwise, returns
 * undefined, and the callee must be read from the tree, which is ten times slower.
 */
function plainCallee({ startIndex }: Node, text: string): string | undefined {
  PLAIN_CALLEE.lastIndex = startIndex
  const name = PLAIN_CALLEE.exec(text)?.[1]
  return name === undefined || name === "function" || name.length > MAX_NAME_CHARS ? undefined : name
}

function rubyImport(node: Node): FileImport[] {
  const method = node.childForFieldName("method")?.text
  const path = node.childForFieldName("arguments")?.namedChild(0)
  if (path?.type !== "string" || (method !== "require" && method !== "require_relative")) return []
  const module = unquoted(path.text)
  return [{ module: method === "require_relative" && !module.startsWith(".") ? `./${module}` : module, names: [] }]
}

/** Returns the imports of a Rust declaration. `mod name;` imports a file, whereas a module with a body doesn't. */
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

const CALLED = ["function", "method", "name", "constructor", "type"]

/** Creates a collector for the last part of each called name, such as `c` for `a.b.c()`. */
function createCallNames(text: string) {
  const names = new Set<string>()
  let nodes = 0

  return {
    names: () => [...names],
    add(node: Node): void {
      if (++nodes > MAX_CALL_NODES || names.size >= MAX_CALLS) return
      const called = calledBy(node)
      if (!called) return
      const end = text.slice(Math.max(called.startIndex, called.endIndex - MAX_NAME_CHARS), called.endIndex)
      const name = end.split(/[^\p{L}\p{N}_$]/u).at(-1) ?? ""
      if (/^[\p{L}_$]/u.test(name)) names.add(name)
    },
    /** Adds a call by its plain or dotted name. */
    addName(callee: string): void {
      if (++nodes > MAX_CALL_NODES || names.size >= MAX_CALLS) return
      names.add(callee.slice(1 + Math.max(callee.lastIndexOf("."), callee.lastIndexOf("#"))))
    },
  }
}

function calledBy(node: Node): Node | undefined {
  for (const field of CALLED) {
    const found = node.childForFieldName(field)
    if (found) return found
  }
  return undefined
}
