import { type ModelRequest, userTexts } from "@switchyard/core/models/provider"

/** A codebase as the chat shows it to a model. */
export interface Shown {
  /** All paths, in the order of the list. */
  paths: string[]
  /** The texts of the selected files. */
  files: ReadonlyMap<string, string>
  symbols: MappedSymbol[]
}

export interface MappedSymbol {
  path: string
  line: number
  signature: string
}

export function readShown({ system, messages }: ModelRequest): Shown {
  const users = messages.flatMap((message) => (message.role === "user" ? [userTexts(message).join("")] : []))
  const sections = users.slice(0, -1)
  const tree = sections.find((text) => text.startsWith("# Repository Files\n")) ?? ""
  const shown = [system, ...sections.filter((text) => /^# (Working|Reference|Repository Structure)\b/.test(text))]
  const files = new Map(shown.flatMap((text) => filesIn(text.slice(fileSection(text)))))
  const paths = tree.split("\n").slice(tree.split("\n").findIndex((line) => line.startsWith("# File Tree ")) + 1)
  const symbols = [...shown.flatMap(symbolsIn), ...[...files].flatMap(([path, text]) => declarationsIn(path, text))]
  return { paths: paths.filter(Boolean), files, symbols }
}

/** The index at which the files of a text begin; its length where there are none. */
function fileSection(text: string): number {
  const begin = ["# Working Files\n", "# Reference Files"].map((title) => text.indexOf(title)).filter((at) => at >= 0)
  return begin.length > 0 ? Math.min(...begin) : text.length
}

function filesIn(section: string): [string, string][] {
  const found = section.matchAll(/^(\S.*)\n(`{3,})\n([\s\S]*?)\n?\2$/gm)
  return [...found].map(([, path = "", , text = ""]) => [path, text])
}

/** The symbols of a map: a path on a line of its own, with a declaration a line below it. */
function symbolsIn(text: string): MappedSymbol[] {
  const begin = text.indexOf("# Repository Structure")
  const map = begin < 0 ? "" : text.slice(begin, fileSection(text))
  const symbols: MappedSymbol[] = []
  let path = ""
  for (const line of map.split("\n")) {
    const [, file] = /^(\S.*):$/.exec(line) ?? []
    if (file) path = file
    const [, number, signature] = /^\s+(\d+): (.*)$/.exec(line) ?? []
    if (path && number && signature) symbols.push({ path, line: Number(number), signature })
  }
  return symbols
}

const DECLARATION =
  /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\*?|class|interface|type|enum|const|let|var|def|struct|fn|func)\s+[\w$]+.*$/

/** A declaration is no longer than that. */
export const MAX_LINE_CHARS = 300

/** A file that is shown in full is not in the map. */
function declarationsIn(path: string, text: string): MappedSymbol[] {
  return text.split("\n").flatMap((whole, at) => {
    const line = whole.slice(0, MAX_LINE_CHARS)
    const isDeclaration = DECLARATION.test(line) && (!/^\s/.test(line) || /\b(def|fn|func)\b/.test(line))
    return isDeclaration ? [{ path, line: at + 1, signature: line.replace(/[{:]$/, "").trim() }] : []
  })
}
