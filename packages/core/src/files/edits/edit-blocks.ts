import { type Marker, markerOf, pathIn, withoutCarriage } from "./edit-markers.ts"
import { type Prose, readProse, startOfProse } from "./prose.ts"

/** An edit in a model's answer: lines of a file and their replacement. Without old lines, it creates the file. */
export interface EditBlock {
  path: string
  oldLines: string[]
  newLines: string[]
}

/** Part of an answer, in order. */
export type AnswerPart = { type: "text"; text: string } | EditPart

export interface EditPart {
  type: "edit"
  block: EditBlock
  isComplete: boolean
  /** Reason why a finished block can't be applied. */
  problem?: string
}

/**
 * Parses the edit blocks of an answer while it arrives, in linear time. Any split of the same answer gives the same
 * parts.
 * A block begins with a path at the start of its line, then its start marker. Only markers of the same length and
 * indentation belong to it; everything else up to its end is text of the file. If it has more of its own markers than
 * it needs, its end is uncertain. Then it fails, and nothing inside it is an edit. Blocks in fences and thoughts are
 * not edits either.
 */
export interface EditBlockParser {
  push(chunk: string): void
  /** Returns everything so far. The last line counts as complete. */
  parts(): AnswerPart[]
  /** Returns everything so far. If the last line has more than 1,000 characters, its end may be missing. */
  growing(): AnswerPart[]
  /** Returns the number of blocks so far that name no file, have another form, or are quoted. */
  unreadable(): number
}

const LONG_LINE_CHARS = 1000
const UNCERTAIN =
  "The answer has more markers of this length than its blocks need, so the end of this block is uncertain. Longer markers make it certain."

interface OpenBlock {
  /** Undefined for a block that isn't an edit. Its lines are text. */
  path: string | undefined
  marker: Marker
  /** Lines so far as texts, which parts of a growing answer share. Undefined without a line. */
  oldText: string | undefined
  newText: string | undefined
  hasSeparator: boolean
  /** Number of start markers without an end. */
  depth: number
  isUncertain: boolean
}

interface Reading {
  prose: Prose
  block: OpenBlock | undefined
  done: AnswerPart[]
  /** The parts of `done` before this index already count all stray markers so far. */
  failed: number
  /** Text since the last edit, and of the whole answer. Undefined without a line. */
  text: string | undefined
  all: string | undefined
  /** Path that a block may follow, with the lines after it. They are not part of `text` yet. */
  path: { path: string; text: string } | undefined
  /** Markers of all edits. */
  used: Set<string>
  unreadable: number
  hasThoughts: boolean
  /** Start markers in the open thought, and those without an end. */
  drafts: number
  openDrafts: number
}

export function createEditBlockParser(): EditBlockParser {
  const reading: Reading = {
    ...{ prose: startOfProse, block: undefined, done: [], failed: 0, text: undefined, all: undefined, path: undefined },
    ...{ used: new Set(), unreadable: 0, hasThoughts: false, drafts: 0, openDrafts: 0 },
  }
  let rest = ""
  let whole: { reading: Reading; restChars: number } | undefined
  const withRest = (missing = 0) => {
    if (!whole || rest.length - whole.restChars > missing) {
      whole = { reading: rest === "" ? reading : readLine(copyOf(reading), rest), restChars: rest.length }
    }
    return whole.reading
  }
  return {
    push(chunk) {
      const end = chunk.lastIndexOf("\n")
      if (end === -1) {
        rest += chunk
        return
      }
      whole = undefined
      for (const line of (rest + chunk.slice(0, end)).split("\n")) readLine(reading, line)
      rest = chunk.slice(end + 1)
    },
    parts: () => partsOf(withRest()),
    // A long line is read again only after it grew by a fraction, so that the total time is linear.
    growing: () => partsOf(withRest(rest.length > LONG_LINE_CHARS ? rest.length / 8 : 0)),
    unreadable: () => unreadableIn(withRest()),
  }
}

/**
 * Reads an answer that grows with each call, each line once. While `isGrowing`, the end of a line with more than 1,000
 * characters may be missing.
 */
export function createAnswerReader(): (answer: string, about: { isGrowing: boolean }) => AnswerPart[] {
  let read = ""
  let parser = createEditBlockParser()
  return (answer, { isGrowing }) => {
    if (!answer.startsWith(read)) parser = createEditBlockParser()
    parser.push(answer.startsWith(read) ? answer.slice(read.length) : answer)
    read = answer
    return isGrowing ? parser.growing() : parser.parts()
  }
}

function readLine(reading: Reading, raw: string): Reading {
  const line = withoutCarriage(raw)
  if (reading.block) readBlock(reading, reading.block, line)
  else readOutside(reading, line)
  reading.all = joined(reading.all, line)
  return reading
}

function readBlock(reading: Reading, block: OpenBlock, line: string): void {
  if (block.path === undefined) reading.text = joined(reading.text, line)
  const marker = markerOf(line)
  const kind = marker?.key === block.marker.key ? marker.kind : undefined
  if (kind === "start") block.depth++
  if (kind === "end") block.depth = Math.max(0, block.depth - 1)
  const isEnd = kind === "end" && block.depth === 0 && block.hasSeparator
  const isSeparator = kind === "separator" && !block.hasSeparator
  if (isEnd) endBlock(reading, block)
  else if (isSeparator) block.hasSeparator = true
  else {
    if (kind) block.isUncertain = true
    if (block.hasSeparator) block.newText = joined(block.newText, line)
    else block.oldText = joined(block.oldText, line)
  }
}

function endBlock(reading: Reading, block: OpenBlock): void {
  reading.block = undefined
  if (block.path === undefined) return
  const about = block.isUncertain ? { isComplete: false, problem: UNCERTAIN } : { isComplete: true }
  reading.done.push({ type: "edit", block: editOf(block), ...about })
}

function readOutside(reading: Reading, line: string): void {
  const before = reading.prose
  const { prose, kind, words, endsUnbegun } = readProse(before, line)
  const marker = markerOf(words || line)
  if (endsUnbegun) forgetDrafts(reading, endsUnbegun === "certainly" && !reading.hasThoughts)
  else if (prose.hasQuotedEnd && marker?.kind === "start") forgetDrafts(reading, false)
  const isInThought = before.thoughts.length > 0 && prose.thoughts.length > 0
  if (!isInThought) {
    reading.drafts = 0
    reading.openDrafts = 0
  }
  reading.hasThoughts ||= endsUnbegun !== undefined || prose.thoughts.length > 0
  reading.prose = prose
  const path = kind === "words" ? pathIn(words) : undefined
  // A blank line or an opening fence may separate the path from its block.
  const isBetween = line.trim() === "" || (kind === "fence" && !before.fence)
  if (isInThought && kind === "thought") readThought(reading, marker, line)
  else if (marker?.kind === "start") beginBlock(reading, marker, line)
  else if (path !== undefined) takePath(reading, path, { line, words })
  else if (reading.path && isBetween) reading.path.text = joined(reading.path.text, line)
  else {
    if (marker) countAgainst(reading, marker)
    addText(reading, line)
  }
}

function takePath(reading: Reading, path: string, { line, words }: { line: string; words: string }): void {
  flushPath(reading)
  if (words !== line) addText(reading, line.slice(0, line.length - words.length))
  reading.path = { path, text: words }
}

function beginBlock(reading: Reading, marker: Marker, line: string): void {
  const path = marker.key.startsWith("EDIT") ? reading.path?.path : undefined
  const texts = { oldText: undefined, newText: undefined, hasSeparator: false }
  reading.block = { path, marker, ...texts, depth: 1, isUncertain: false }
  if (path === undefined) {
    reading.unreadable++
    addText(reading, line)
    return
  }
  if (reading.text !== undefined) reading.done.push({ type: "text", text: reading.text })
  reading.text = undefined
  reading.path = undefined
  reading.used.add(marker.key)
}

/**
 * Marks earlier edits as uncertain. A marker outside all blocks may be the true end of an earlier one, whose remainder
 * would be quoted.
 */
function countAgainst(reading: Reading, { key }: Marker): void {
  if (!reading.used.has(key)) return
  const { done, failed } = reading
  for (let at = failed; at < done.length; at++) {
    const part = done[at]
    if (part?.type === "edit") done[at] = { ...part, isComplete: false, problem: UNCERTAIN }
  }
  reading.failed = done.length
}

function readThought(reading: Reading, marker: Marker | undefined, line: string): void {
  if (marker?.kind === "start") {
    reading.drafts++
    reading.openDrafts++
  } else if (marker && reading.openDrafts === 0) countAgainst(reading, marker)
  else if (marker?.kind === "end") reading.openDrafts--
  addText(reading, line)
}

/** Treats everything so far as text, because it was, or may have been, a thought. */
function forgetDrafts(reading: Reading, isCertain: boolean): void {
  const unreadable = isCertain ? 0 : reading.unreadable + editCount(reading)
  Object.assign(reading, { done: [], failed: 0, text: reading.all, path: undefined, used: new Set(), unreadable })
}

function editCount({ done }: Reading): number {
  return done.filter(({ type }) => type === "edit").length
}

function addText(reading: Reading, line: string): void {
  flushPath(reading)
  reading.text = joined(reading.text, line)
}

/** Adds a path without a block to the text, with the lines after it. */
function flushPath(reading: Reading): void {
  if (reading.path) reading.text = joined(reading.text, reading.path.text)
  reading.path = undefined
}

function partsOf(reading: Reading): AnswerPart[] {
  const { done, block, text, path, all } = reading
  if (isAllThought(reading)) return all === undefined ? [] : [{ type: "text", text: all }]
  if (block?.path !== undefined) return [...done, openPart({ ...block })]
  const open = path ? joined(text, path.text) : text
  return open === undefined ? [...done] : [...done, { type: "text", text: open }]
}

/** True if only an unclosed fence may hide the end of thoughts that never began. */
function isAllThought({ prose }: Reading): boolean {
  return prose.fence !== undefined && prose.hasQuotedEnd
}

function unreadableIn(reading: Reading): number {
  const { drafts } = reading
  return reading.unreadable + drafts + (isAllThought(reading) ? editCount(reading) : 0)
}

/**
 * Returns the part of an open block. Its lines are split on access, because most chunks of an answer don't need them.
 */
function openPart(open: OpenBlock): EditPart {
  let block: EditBlock | undefined
  return {
    type: "edit",
    get block() {
      block ??= editOf(open)
      return block
    },
    isComplete: false,
    ...(open.isUncertain && { problem: UNCERTAIN }),
  }
}

function editOf({ path = "", marker, oldText, newText }: OpenBlock): EditBlock {
  const oldLines = oldText?.split("\n") ?? []
  const newLines = newText?.split("\n") ?? []
  return { path, oldLines, newLines: oldLines.length === 0 ? unindented(newLines, marker) : newLines }
}

/** Returns the lines of a new file. Some models indent them like the markers. */
function unindented(lines: string[], { indentation }: Marker): string[] {
  const isIndented = indentation !== "" && lines.every((line) => line.startsWith(indentation) || line.trim() === "")
  return isIndented ? lines.map((line) => line.slice(indentation.length)) : lines
}

function joined(text: string | undefined, line: string): string {
  return text === undefined ? line : `${text}\n${line}`
}

function copyOf({ done, used, path, block, ...reading }: Reading): Reading {
  return {
    ...reading,
    ...{ done: [...done], used: new Set(used), path: path && { ...path }, block: block && { ...block } },
  }
}
