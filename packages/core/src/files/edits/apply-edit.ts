import { trimEndWhere } from "../../text/trim.ts"
import type { EditBlock } from "./edit-blocks.ts"
import { nearestPlace } from "./search-replace.ts"

export type EditError = "anchor_not_found" | "ambiguous_anchor" | "file_not_found" | "validation_error"

/** Result of applying a block to a file's text. */
export type AppliedEdit =
  | { status: "applied"; text: string; line: number; message: string }
  | { status: "already_applied"; message: string }
  | { status: "failed"; error: EditError; message: string }

const BYTE_ORDER_MARK = "\ufeff"

/**
 * Applies a block to a file's text, or to undefined if the file doesn't exist. The old lines must occur exactly once,
 * as whole lines. A block without old lines creates the file, or fills it if it is empty. Line endings, a missing final
 * newline and a byte order mark are preserved. If the old lines don't occur and `quotesNearest` is set, the error
 * quotes the lines that were probably meant.
 */
export function applyEdit(
  text: string | undefined,
  block: EditBlock,
  options: { quotesNearest?: boolean } = {},
): AppliedEdit {
  if (!text?.startsWith(BYTE_ORDER_MARK)) return applyTo(text, block, options)
  // Ignore a byte order mark in the block, because it is invisible, so models may omit or repeat it.
  const { path, oldLines, newLines } = block
  const applied = applyTo(text.slice(1), { path, oldLines: unmarked(oldLines), newLines: unmarked(newLines) }, options)
  return applied.status === "applied" ? { ...applied, text: BYTE_ORDER_MARK + applied.text } : applied
}

function unmarked([first, ...rest]: string[]): string[] {
  if (first === undefined) return []
  return [first.startsWith(BYTE_ORDER_MARK) ? first.slice(1) : first, ...rest]
}

function applyTo(
  text: string | undefined,
  block: EditBlock,
  { quotesNearest = false }: { quotesNearest?: boolean },
): AppliedEdit {
  const { oldLines, newLines } = block
  if (oldLines.length === 0 || (text?.trim() === "" && oldLines.every(isBlank))) return fill(text, newLines)
  if (text === undefined) return failed("file_not_found", "This file doesn't exist.")
  const lines = linesOf(text)
  const texts = lines.map((line) => line.text)
  const places = placesOf(texts, oldLines)
  const [at] = places
  if (places.length > 1) {
    const found = places.map((place) => place + 1).slice(0, 5)
    return failed("ambiguous_anchor", `The old lines occur ${places.length} times, at lines ${found.join(", ")}.`)
  }
  if (at === undefined) {
    const missing = notFound(texts, block)
    const nearest = quotesNearest && missing.status === "failed" && nearestPlace(texts.join("\n"), oldLines.join("\n"))
    return nearest ? { ...missing, message: `${missing.message}\n${nearest}` } : missing
  }
  return { status: "applied", text: replaced(lines, at, oldLines.length, newLines), line: at + 1, message: "Applied." }
}

interface Line {
  text: string
  end: string
}

function linesOf(text: string): Line[] {
  const pieces = text.split("\n")
  const last = pieces.pop() ?? ""
  const lines = pieces.map((piece): Line => {
    return piece.endsWith("\r") ? { text: piece.slice(0, -1), end: "\r\n" } : { text: piece, end: "\n" }
  })
  return last === "" ? lines : [...lines, { text: last, end: "" }]
}

/** Writes a file that doesn't exist or is empty. */
function fill(text: string | undefined, newLines: string[]): AppliedEdit {
  const end = text?.includes("\r\n") ? "\r\n" : "\n"
  const filled = newLines.map((line) => line + end).join("")
  if (text === undefined) return { status: "applied", text: filled, line: 1, message: "Created." }
  const same = (one: string) => trimEndWhere(one.replaceAll("\r\n", "\n"), (char) => char === "\n")
  if (same(text) === same(filled)) return { status: "already_applied", message: "The file already has this text." }
  if (text.trim() === "") return { status: "applied", text: filled, line: 1, message: "Applied." }
  return failed("validation_error", "The file already exists with different text.")
}

function isBlank(line: string): boolean {
  return line.trim() === ""
}

function replaced(lines: Line[], at: number, count: number, newLines: string[]): string {
  const old = lines.slice(at, at + count)
  const end = old.find((line) => line.end !== "")?.end ?? lines.find((line) => line.end !== "")?.end ?? "\n"
  const isLast = old.at(-1)?.end === ""
  const endOf = keptEnds(old, newLines)
  const put = newLines.map((text, index) => {
    if (isLast && index === newLines.length - 1) return { text, end: "" }
    return { text, end: endOf(index) || end }
  })
  return [...lines.slice(0, at), ...put, ...lines.slice(at + count)].map(({ text, end }) => text + end).join("")
}

/**
 * Returns a function that maps the index of a line in `newLines` to the line ending that the line had before the edit.
 * Only covers the unchanged lines at the start and end of the edit. Needed for files with mixed line endings.
 */
function keptEnds(old: Line[], newLines: string[]): (index: number) => string | undefined {
  const least = Math.min(old.length, newLines.length)
  const fromEnd = newLines.length - old.length
  let first = 0
  while (first < least && old[first]?.text === newLines[first]) first++
  let last = 0
  while (last < least - first && old.at(-1 - last)?.text === newLines.at(-1 - last)) last++
  return (index) => {
    if (index < first) return old[index]?.end
    return index >= newLines.length - last ? old[index - fromEnd]?.end : undefined
  }
}

/**
 * Returns the indexes of all occurrences of the wanted lines. Uses the Knuth-Morris-Pratt algorithm, which takes linear
 * time even if many lines are the same.
 */
function placesOf(lines: readonly string[], wanted: readonly string[]): number[] {
  const numbers = new Map<string, number>()
  for (const line of wanted) numbers.set(line, numbers.get(line) ?? numbers.size)
  const pattern = wanted.map((line) => numbers.get(line))
  const borders = bordersOf(pattern)
  const places: number[] = []
  let matched = 0
  for (const [at, line] of lines.entries()) {
    const number = numbers.get(line)
    while (matched > 0 && (matched === pattern.length || pattern[matched] !== number))
      matched = borders[matched - 1] ?? 0
    if (number !== undefined && pattern[matched] === number) matched++
    if (matched === pattern.length && matched > 0) places.push(at + 1 - matched)
  }
  return places
}

/** For each prefix of a pattern, returns the length of its longest proper prefix that is also its suffix. */
function bordersOf(pattern: readonly unknown[]): number[] {
  const borders = [0]
  let border = 0
  for (let at = 1; at < pattern.length; at++) {
    while (border > 0 && pattern[border] !== pattern[at]) border = borders[border - 1] ?? 0
    if (pattern[border] === pattern[at]) border++
    borders.push(border)
  }
  return borders
}

function notFound(lines: readonly string[], { oldLines, newLines }: EditBlock): AppliedEdit {
  if (newLines.length > 0 && placesOf(lines, newLines).length === 1) {
    return { status: "already_applied", message: "The file already contains the new lines." }
  }
  const bare = (line: string) => line.replace(/\s+/g, " ").trim()
  const spaced = placesOf(lines.map(bare), oldLines.map(bare))
  if (spaced[0] !== undefined) {
    return failed(
      "anchor_not_found",
      `The old lines match line ${spaced[0] + 1} and those after it except for whitespace.`,
    )
  }
  const first = oldLines[0]?.trim() === "" ? -1 : lines.indexOf(oldLines[0] ?? "")
  if (first === -1) return failed("anchor_not_found", "The old lines aren't in the file.")
  const differs = oldLines.findIndex((line, index) => lines[first + index] !== line)
  return failed(
    "anchor_not_found",
    `The first line matches line ${first + 1}, but line ${first + differs + 1} differs.`,
  )
}

function failed(error: EditError, message: string): AppliedEdit {
  return { status: "failed", error, message }
}
