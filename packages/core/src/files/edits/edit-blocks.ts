import { type Marker, markerOf, withoutCarriage } from "./edit-markers.ts"
import { type IsKnownPath, pathIn, pathInFence } from "./edit-paths.ts"
import { type Prose, readProse, startOfProse } from "./prose.ts"

/**
 * An edit in a model's answer: lines of a file and the lines that replace them. An edit without old lines creates the
 * file.
 */
export interface EditBlock {
  path: string
  oldLines: string[]
  newLines: string[]
}

export type AnswerPart = { type: "text"; text: string } | EditPart

export interface EditPart {
  type: "edit"
  block: EditBlock
  isComplete: boolean
  /** Reason why a complete block can't be applied. */
  problem?: string
}

const LONG_LINE_CHARS = 1000
const UNCERTAIN =
  "The answer has more markers of this length than its blocks need, so it's unclear where this block ends. Use longer markers."

interface OpenBlock {
  /** Undefined if the block isn't an edit and counts as text. */
  path: string | undefined
  marker: Marker
  /**
   * Lines so far, joined into one text so that the parts of a growing answer can share them. Undefined if there are no
   * lines.
   */
  oldText: string | undefined
  newText: string | undefined
  hasSeparator: boolean
  /** Number of unclosed start markers. */
  depth: number
  isUncertain: boolean
}

interface Reading {
  isKnown: IsKnownPath
  prose: Prose
  block: OpenBlock | undefined
  done: AnswerPart[]
  /** Index in `done`. All parts before it have already been marked as uncertain because of stray markers. */
  failed: number
  /** Text since the last edit (`text`), and text of the whole answer (`all`). Undefined if there are no lines. */
  text: string | undefined
  all: string | undefined
  /** Path that may introduce a block, with the lines from the path onwards, which aren't in `text` yet. */
  path: { path: string; text: string } | undefined
  /** Marker keys used by any of the edits. */
  used: Set<string>
  unreadable: number
  hasThoughts: boolean
  /** Number of start markers in the open thought, and how many of them are unclosed. */
  drafts: number
  openDrafts: number
}

/**
 * Creates an incremental parser for the edit blocks in an answer. It takes linear time, and its result doesn't depend
 * on how the answer is chunked. A block begins with a line that contains a path, followed by a start marker. Only
 * markers of the same length and indentation belong to the block. Everything else up to its end marker is file content.
 * If the content contains markers like the block's own, the end of the block is uncertain: the block fails, and nothing
 * inside it counts as an edit. Blocks in code fences and thoughts don't count as edits either.
 */
export function createEditBlockParser(isKnown: IsKnownPath = () => false) {
  const reading: Reading = {
    isKnown,
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
    push(chunk: string): void {
      const end = chunk.lastIndexOf("\n")
      if (end === -1) {
        rest += chunk
        return
      }
      whole = undefined
      for (const line of (rest + chunk.slice(0, end)).split("\n")) readLine(reading, line)
      rest = chunk.slice(end + 1)
    },
    /** Returns all parts so far. The last line is treated as complete. */
    parts: (): AnswerPart[] => partsOf(withRest()),
    /**
     * Returns all parts so far. If the last line is longer than 1,000 characters, its end may be missing. Such a line
     * is parsed again only after it has grown by an eighth, so that the total time remains linear.
     */
    growing: (): AnswerPart[] => partsOf(withRest(rest.length > LONG_LINE_CHARS ? rest.length / 8 : 0)),
    /** Returns the number of blocks so far that name no file, are malformed, or are quoted. */
    unreadable: (): number => unreadableIn(withRest()),
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
  const { prose: before, isKnown } = reading
  if (!before.fence && before.thoughts.length === 0 && isKnown(line)) {
    takePath(reading, line, { line, words: line })
    return
  }
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
  const isOpening = kind === "fence" && !before.fence
  const path = kind === "words" ? pathIn(words, isKnown) : undefined
  const named = path ?? (isOpening && !reading.path ? pathInFence(line, isKnown) : undefined)
  // A blank line or an opening code fence is allowed between the path and its block.
  const isBetween = line.trim() === "" || isOpening
  if (isInThought && kind === "thought") readThought(reading, marker, line)
  else if (marker?.kind === "start") beginBlock(reading, marker, line)
  else if (named !== undefined) takePath(reading, named, { line, words })
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
 * Marks earlier edits as uncertain, because a marker outside of a block may be the real end of an earlier block that
 * quotes its own markers.
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

/** Treats everything so far as text, because it was or may have been a thought. */
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

/** If no block followed the last path, adds the path and the lines after it to the text. */
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

/**
 * True if the whole answer may be a thought, because the start tag is missing and an unclosed code fence may hide the
 * end tag.
 */
function isAllThought({ prose }: Reading): boolean {
  return prose.fence !== undefined && prose.hasQuotedEnd
}

function unreadableIn(reading: Reading): number {
  const { drafts } = reading
  return reading.unreadable + drafts + (isAllThought(reading) ? editCount(reading) : 0)
}

/**
 * Returns the part for an open block. The block's lines are split only when they are read, because most chunks of an
 * answer don't need them.
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

/** Returns the lines of a new file without the indentation of the markers, which some models also add to the lines. */
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
