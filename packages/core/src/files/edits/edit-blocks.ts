/** An edit of a model's answer: lines of a file that others replace. Without old lines it creates the file. */
export interface EditBlock {
  path: string
  oldLines: string[]
  newLines: string[]
}

/** A part of an answer, in its order. */
export type AnswerPart = { type: "text"; text: string } | { type: "edit"; block: EditBlock; isComplete: boolean }

const START = /^<{4,9} EDIT$/
const SEPARATOR = /^={4,9} REPLACE$/
const END = /^>{4,9} EDIT END$/
const FENCE = /^(`{3,}|~{3,})[\w+#.-]*$/
const MAX_PATH_CHARS = 199

/** The first line of a block wherever it stands, and of the form that other tools have for it. */
const ANY_START = /^[ \t]*<{4,9} (?:EDIT|SEARCH)[ \t]*\r?$/m

/** Whether an answer begins an edit somewhere, be it one that can be read or not. */
export function beginsEdit(answer: string): boolean {
  return ANY_START.test(answer)
}

/**
 * Parses the edit blocks of an answer while it arrives. Any split of the same answer gives the same parts; a block that was
 * never ended is incomplete, and must not be applied.
 */
export interface EditBlockParser {
  push(chunk: string): void
  /** Everything so far; the last line counts as whole. */
  parts(): AnswerPart[]
}

interface Reading {
  /** The destination of the next line: `text` between blocks, else a side of the block. */
  in: "text" | "old" | "new"
  text: string[]
  /** The path that a block may follow, and the number of lines since, itself included. */
  path?: { path: string; lines: number }
  block?: EditBlock
  done: AnswerPart[]
}

export function createEditBlockParser(): EditBlockParser {
  let reading: Reading = { in: "text", text: [], done: [] }
  let rest = ""
  return {
    push(chunk) {
      const lines = (rest + chunk).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) reading = readLine(reading, line)
    },
    parts() {
      const last = rest === "" ? reading : readLine(copyOf(reading), rest)
      return [...last.done, ...openPart(last)]
    },
  }
}

/** The complete edits of a whole answer, and the paths of those that were never ended. */
export function editsIn(answer: string): { blocks: EditBlock[]; incomplete: string[] } {
  const parser = createEditBlockParser()
  parser.push(answer)
  const edits = parser.parts().flatMap((part) => (part.type === "edit" ? [part] : []))
  return {
    blocks: edits.filter(({ isComplete }) => isComplete).map(({ block }) => block),
    incomplete: edits.filter(({ isComplete }) => !isComplete).map(({ block }) => block.path),
  }
}

function readLine(reading: Reading, line: string): Reading {
  const content = line.endsWith("\r") ? line.slice(0, -1) : line
  const marker = content.trim()
  if (reading.in === "text") return readText(reading, content, marker)
  const { block } = reading
  if (!block) return reading
  if (reading.in === "old" && SEPARATOR.test(marker)) reading.in = "new"
  else if (reading.in === "new" && END.test(marker)) {
    reading.done.push({ type: "edit", block, isComplete: true })
    Object.assign(reading, { in: "text", block: undefined })
  } else block[reading.in === "old" ? "oldLines" : "newLines"].push(content)
  return reading
}

function readText(reading: Reading, content: string, marker: string): Reading {
  if (reading.path && START.test(marker)) {
    const { path, lines } = reading.path
    const before = reading.text.slice(0, -lines)
    if (before.length > 0) reading.done.push({ type: "text", text: before.join("\n") })
    return { ...reading, in: "old", text: [], path: undefined, block: { path, oldLines: [], newLines: [] } }
  }
  reading.text.push(content)
  const path = pathIn(marker)
  if (path !== undefined) reading.path = { path, lines: 1 }
  // A blank line, or the opening of a fence, may stand between the path and its block.
  else if (reading.path && (marker === "" || FENCE.test(marker))) reading.path.lines++
  else reading.path = undefined
  return reading
}

/** The part that isn't finished: text, or a block without its end. */
function openPart({ text, block }: Reading): AnswerPart[] {
  if (block) return [{ type: "edit", block, isComplete: false }]
  return text.length > 0 ? [{ type: "text", text: text.join("\n") }] : []
}

function copyOf({ in: at, text, path, block, done }: Reading): Reading {
  return {
    ...{ in: at, text: [...text], done: [...done], path: path && { ...path } },
    block: block && { ...block, oldLines: [...block.oldLines], newLines: [...block.newLines] },
  }
}

/** The path that a line is, if it can be one. Quotes of code around it are no part of it. */
function pathIn(line: string): string | undefined {
  const [, quoted] = /^`([^`]+)`:?$/.exec(line) ?? []
  const path = quoted ?? line
  if (path.length === 0 || path.length > MAX_PATH_CHARS) return undefined
  if (/^(#|\/\/|\*|-|>|```)/.test(path) || /\s/.test(path)) return undefined
  if (path.includes("/") || path.includes("\\")) return path
  // A name with an extension, one that begins with a dot, or a word such as Makefile.
  return /^\.?[\w@+-]+(\.[\w@+-]+)*$/.test(path) ? path : undefined
}
