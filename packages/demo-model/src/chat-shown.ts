import { type ModelRequest, userTexts } from "@switchyard/core/models/provider"

/** The codebase, as shown in a chat request. */
export interface Shown {
  /** All paths, in the order of the request. */
  paths: string[]
  /** Texts of the selected files, by path. */
  files: ReadonlyMap<string, string>
  symbols: MappedSymbol[]
  /** Imports of each file in the map. */
  imports: ReadonlyMap<string, readonly string[]>
}

export interface MappedSymbol {
  path: string
  /** Null for declarations from the map, which has no line numbers because every edit would change those below it. */
  line: number | null
  signature: string
}

export function readShown({ system, messages }: ModelRequest): Shown {
  const users = messages.flatMap((message) => (message.role === "user" ? [userTexts(message).join("")] : []))
  const sections = users.slice(0, -1)
  const tree = sections.find((text) => text.startsWith("# Repository Files\n")) ?? ""
  const shown = [system, ...sections.filter((text) => /^# (Working|Reference|Repository Structure)\b/.test(text))]
  const files = new Map(shown.flatMap((text) => filesIn(text.slice(fileSection(text)))))
  const paths = tree.split("\n").slice(tree.split("\n").findIndex((line) => line.startsWith("# File Tree ")) + 1)
  const mapped = shown.flatMap(mapLines)
  const inMap = mapped.flatMap(symbolIn).filter(({ path }) => !files.has(path))
  const symbols = [...inMap, ...[...files].flatMap(([path, text]) => declarationsIn(path, text))]
  return { paths: paths.filter(Boolean), files, symbols, imports: importsIn(mapped) }
}

/** Returns the index of the first file section, or the length of the text if there is none. */
function fileSection(text: string): number {
  const begin = ["# Working Files\n", "# Reference Files"].map((title) => text.indexOf(title)).filter((at) => at >= 0)
  return begin.length > 0 ? Math.min(...begin) : text.length
}

function filesIn(section: string): [string, string][] {
  const found = section.matchAll(/^(\S.*)\n(`{3,})\n([\s\S]*?)\n?\2$/gm)
  return [...found].map(([, path = "", , text = ""]) => [path, text])
}

interface MapLine {
  path: string
  text: string
}

/** Returns the map's lines, each with the path of its file. Paths are on their own lines, above those of the file. */
function mapLines(text: string): MapLine[] {
  const begin = text.indexOf("# Repository Structure")
  const map = begin < 0 ? "" : text.slice(begin, fileSection(text))
  let path = ""
  return map.split("\n").flatMap((line) => {
    const [, file] = /^(\S.*):(?: ←\d+)?$/.exec(line) ?? []
    if (file) path = file
    return file || path === "" ? [] : [{ path, text: line }]
  })
}

const KINDS: Record<string, string> = {
  ...{ c: "class", t: "type", m: "method", f: "function", v: "variable", p: "property", x: "declaration" },
}

function symbolIn({ path, text }: MapLine): MappedSymbol[] {
  const [, isAsync, kind = "", rest] = /^\s*(a?)([ctmfvpx]) (.+)$/.exec(text) ?? []
  return rest ? [{ path, line: null, signature: `${isAsync ? "async " : ""}${KINDS[kind]} ${rest}` }] : []
}

function importsIn(mapped: readonly MapLine[]): ReadonlyMap<string, readonly string[]> {
  const imports = new Map<string, string[]>()
  for (const { path, text } of mapped) {
    const [, names] = /^i[ →](.+)$/.exec(text) ?? []
    imports.set(path, [...(imports.get(path) ?? []), ...(names?.split(",") ?? [])])
  }
  return imports
}

const DECLARATION =
  /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\*?|class|interface|type|enum|const|let|var|def|struct|fn|func)\s+[\w$]+.*$/

/** Maximum length of a declaration. */
export const MAX_LINE_CHARS = 300

/** Returns the declarations in a file's text. Needed because the map leaves out selected files. */
function declarationsIn(path: string, text: string): MappedSymbol[] {
  return text.split("\n").flatMap((whole, at) => {
    const line = whole.slice(0, MAX_LINE_CHARS)
    const isDeclaration = DECLARATION.test(line) && (!/^\s/.test(line) || /\b(def|fn|func)\b/.test(line))
    return isDeclaration ? [{ path, line: at + 1, signature: line.replace(/[{:]$/, "").trim() }] : []
  })
}

/** Returns the file mentioned in a question, by path or name. */
export function pathIn(question: string, { paths }: Shown): string | undefined {
  const longestFirst = paths.toSorted((a, b) => b.length - a.length)
  return (
    longestFirst.find((path) => question.includes(path)) ??
    longestFirst.find((path) => question.includes(path.slice(path.lastIndexOf("/") + 1)))
  )
}
