import type { FileSymbol, Member } from "./schema.ts"
import { oneLine } from "./signature.ts"

/** A line with a declaration, and its nesting depth. */
interface Declared extends Member {
  depth: number
}

type TextFormat = "markdown" | "json" | "yaml" | "toml"

const EXTENSIONS = new Map<string, TextFormat>([
  ["md", "markdown"],
  ["markdown", "markdown"],
  ["json", "json"],
  ["yaml", "yaml"],
  ["yml", "yaml"],
  ["toml", "toml"],
])

/** Returns the format for a file name, if symbols in such files can be found without a grammar. */
export function textFormatOf(path: string): TextFormat | undefined {
  return EXTENSIONS.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase())
}

export const textReaders: Record<TextFormat, (text: string) => FileSymbol[]> = {
  markdown: readHeadings,
  json: (text) => readKeys(text, /^([ \t]*)"([^"\\]{1,100})"[ \t]{0,9}:/),
  yaml: (text) => readKeys(text, /^( *)(?:- )?["']?([\w$./@-]{1,100})["']? {0,9}:(?=\s|$)/),
  toml: readToml,
}

/**
 * Returns the headings outside of code fences. Headings of levels 1 and 2 are symbols, and deeper headings are members.
 */
function readHeadings(text: string): FileSymbol[] {
  let fence: string | undefined
  return nested(
    linesOf(text).flatMap(([line, at]) => {
      const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1]
      if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined
      const level = fence === undefined ? /^(#{1,6}) /.exec(line)?.[1]?.length : undefined
      if (level === undefined) return []
      return [
        {
          name: oneLine(line.slice(level)),
          kind: "heading",
          signature: oneLine(line),
          line: at,
          depth: level < 3 ? 0 : 1,
        },
      ]
    }),
  )
}

/** Returns the keys of the two outermost indentation levels, even if the text is invalid. */
function readKeys(text: string, pattern: RegExp): FileSymbol[] {
  const found = linesOf(text).flatMap(([line, at]) => {
    const [, indent = "", name] = pattern.exec(line) ?? []
    return name === undefined ? [] : [keyAt(name, line, at, indent.length)]
  })
  const [outer, inner] = [...new Set(found.map(({ depth }) => depth))].sort((a, b) => a - b)
  const shown = found.filter(({ depth }) => depth === outer || depth === inner)
  return nested(shown.map((key) => ({ ...key, depth: key.depth === outer ? 0 : 1 })))
}

/** Returns the tables with their keys as members, and also the keys before the first table. */
function readToml(text: string): FileSymbol[] {
  let inTable = false
  return nested(
    linesOf(text).flatMap(([line, at]) => {
      const table = /^\[\[?([^\]]{1,100})\]/.exec(line)?.[1]
      const key = /^["']?([\w.-]{1,100})["']?[ \t]{0,9}=/.exec(line)?.[1]
      if (table !== undefined) inTable = true
      if (table !== undefined) return [keyAt(table, line, at, 0)]
      return key === undefined ? [] : [keyAt(key, line, at, inTable ? 1 : 0)]
    }),
  )
}

function keyAt(name: string, line: string, at: number, depth: number): Declared {
  return { name, kind: "key", signature: oneLine(line), line: at, depth }
}

function linesOf(text: string): [line: string, number: number][] {
  return text.split("\n").map((line, index) => [line, index + 1])
}

function nested(declared: Declared[]): FileSymbol[] {
  const symbols: FileSymbol[] = []
  for (const { depth, ...own } of declared) {
    const parent = depth > 0 ? symbols.at(-1) : undefined
    if (parent) parent.members.push(own)
    else symbols.push({ ...own, members: [] })
  }
  return symbols
}
