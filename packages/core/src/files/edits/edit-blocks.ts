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

/** The first line of a block, and of the form that other tools have for it. */
const ANY_START = /^<{4,9} (?:EDIT|SEARCH)$/
const THOUGHT_START = "<think>"
const THOUGHT_END = "</think>"

/**
 * Parses the edit blocks of an answer while it arrives. Any split of the same answer gives the same parts; a block that was
 * never ended is incomplete, and must not be applied.
 */
export interface EditBlockParser {
  push(chunk: string): void
  /** Everything so far; the last line counts as whole. */
  parts(): AnswerPart[]
  /** The number of blocks so far that name no file, or are of another form. */
  unreadable(): number
}

interface Reading {
  /** The destination of the next line: `text` between blocks, else a side of the block. */
  in: "text" | "old" | "new"
  text: string[]
  /** The path that a block may follow, and the number of lines since, itself included. */
  path?: PathLine | undefined
  block?: EditBlock | undefined
  done: AnswerPart[]
  /** The number of blocks that began without a path, or in another form. */
  unreadable: number
  /** The lines so far while they may be a model's thoughts, in which a block is a draft; null once they ended. */
  thoughts: string[] | null
  isThinking: boolean
}

interface PathLine {
  path: string
  lines: number
}

export function createEditBlockParser(): EditBlockParser {
  let reading = beginReading({ text: [], thoughts: [] })
  let rest = ""
  const withRest = () => (rest === "" ? reading : readLine(copyOf(reading), rest))
  return {
    push(chunk) {
      const lines = (rest + chunk).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) reading = readLine(reading, line)
    },
    parts() {
      const last = withRest()
      return [...last.done, ...openPart(last)]
    },
    unreadable: () => withRest().unreadable,
  }
}

/** The edits of an answer. */
export interface AnswerEdits {
  blocks: EditBlock[]
  /** The paths of those that were never ended. */
  incomplete: string[]
  /** The number of those that name no file, or are of another form. */
  unreadable: number
}

/** The edits of a whole answer. */
export function editsIn(answer: string): AnswerEdits {
  const parser = createEditBlockParser()
  parser.push(answer)
  const edits = parser.parts().flatMap((part) => (part.type === "edit" ? [part] : []))
  return {
    blocks: edits.filter(({ isComplete }) => isComplete).map(({ block }) => block),
    incomplete: edits.filter(({ isComplete }) => !isComplete).map(({ block }) => block.path),
    unreadable: parser.unreadable(),
  }
}

function beginReading(of: Pick<Reading, "text" | "thoughts">): Reading {
  return { ...of, in: "text", done: [], unreadable: 0, isThinking: false }
}

function readLine(reading: Reading, line: string): Reading {
  const content = line.endsWith("\r") ? line.slice(0, -1) : line
  const marker = content.trim()
  if (reading.thoughts) return readThought(reading, reading.thoughts, { content, marker })
  return readAnswer(reading, content, marker)
}

/**
 * Models that think in their text do so before all else: what they drafted there is no edit. Several servers leave out the
 * beginning of the thoughts, so that only their end tells.
 */
function readThought(
  reading: Reading,
  thoughts: string[],
  { content, marker }: { content: string; marker: string },
): Reading {
  thoughts.push(content)
  const isFirst = marker !== "" && thoughts.findIndex((line) => line.trim() !== "") === thoughts.length - 1
  if (isFirst && marker.startsWith(THOUGHT_START)) reading.isThinking = true
  const isEnd = reading.isThinking ? marker.includes(THOUGHT_END) : reading.in === "text" && marker === THOUGHT_END
  if (isEnd) return beginReading({ text: [...thoughts], thoughts: null })
  if (!reading.isThinking) return readAnswer(reading, content, marker)
  reading.text.push(content)
  return reading
}

function readAnswer(reading: Reading, content: string, marker: string): Reading {
  const { block } = reading
  if (reading.in === "text" || !block) return readText(reading, content, marker)
  if (reading.in === "old" && SEPARATOR.test(marker)) return Object.assign(reading, { in: "new", path: undefined })
  if (reading.in === "new" && END.test(marker)) {
    reading.done.push({ type: "edit", block, isComplete: true })
    return Object.assign(reading, { in: "text", path: undefined, block: undefined })
  }
  const side = reading.in === "old" ? block.oldLines : block.newLines
  if (reading.path && START.test(marker) && isOver(reading.in, block)) return beginNext(reading, block, side)
  side.push(content)
  return withPath(reading, marker)
}

/** Whether a block that begins within another means that the other one was never ended, and isn't a part of its text. */
function isOver(side: "old" | "new", { oldLines }: EditBlock): boolean {
  return side === "new" || oldLines.some((line) => END.test(line.trim()))
}

function beginNext(reading: Reading, block: EditBlock, side: string[]): Reading {
  const { path = "", lines = 0 } = reading.path ?? {}
  side.splice(side.length - lines)
  reading.done.push({ type: "edit", block, isComplete: false })
  return Object.assign(reading, { in: "old", path: undefined, block: { path, oldLines: [], newLines: [] } })
}

function readText(reading: Reading, content: string, marker: string): Reading {
  if (reading.path && START.test(marker)) {
    const { path, lines } = reading.path
    const before = reading.text.slice(0, -lines)
    if (before.length > 0) reading.done.push({ type: "text", text: before.join("\n") })
    return { ...reading, in: "old", text: [], path: undefined, block: { path, oldLines: [], newLines: [] } }
  }
  if (ANY_START.test(marker)) reading.unreadable++
  reading.text.push(content)
  return withPath(reading, marker)
}

/** Takes note of the path that a line may be. */
function withPath(reading: Reading, marker: string): Reading {
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

function copyOf({ text, path, block, done, thoughts, ...rest }: Reading): Reading {
  return {
    ...rest,
    ...{ text: [...text], done: [...done], path: path && { ...path }, thoughts: thoughts && [...thoughts] },
    block: block && { ...block, oldLines: [...block.oldLines], newLines: [...block.newLines] },
  }
}

/** The path that a line is, if it can be one. Quotes of code around it are no part of it; only in them, it may have spaces. */
function pathIn(line: string): string | undefined {
  const [, quoted] = /^`([^`]+)`:?$/.exec(line) ?? []
  const path = quoted ?? line
  if (path.length === 0 || path.length > MAX_PATH_CHARS) return undefined
  if (/^(#|\/\/|\*|-|>|```)/.test(path)) return undefined
  if (/\s/.test(path)) return quoted !== undefined && /^\S.*\.\w+$/.test(path) ? path : undefined
  if (path.includes("/") || path.includes("\\")) return path
  // A name with an extension, one that begins with a dot, or a word such as Makefile.
  if (/^\.?[\w@+-]+(\.[\w@+-]+)*$/.test(path)) return path
  // A word with other letters than ours may be prose unless it has an extension: not every language has spaces.
  return /^\.?[\w@+\-.\p{L}\p{M}\p{N}]+\.\w+$/u.test(path) ? path : undefined
}
