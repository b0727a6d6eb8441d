/** A replacement in a text. */
export interface Edit {
  /**
   * Text to replace, which must match exactly one place, character for character. Must be empty if the file is empty,
   * and non-empty otherwise.
   */
  search: string
  replace: string
}

/** The edited text, or a description of the problem that lets a model correct the edit. */
export type Edited = { text: string; problem?: undefined } | { problem: string; nearest?: string }

/** Limits for quoting the lines that were probably meant. */
const SHOWN_LINES = 12
const SHOWN_CHARS = 1_000

/**
 * Applies all edits in order, or none of them. Models always write `\n`, so a search that doesn't match is repeated
 * with the text's own line endings, which are then used for the replacement too.
 */
export function applyEdits(text: string, edits: Edit[]): Edited {
  let edited = text
  for (const [index, edit] of edits.entries()) {
    const which = edits.length === 1 ? "The text to search for" : `The text to search for in edit ${index + 1}`
    const { search, replace } = withLineEndsOf(edited, edit)
    if (search === "" && edited === "") {
      edited = replace
      continue
    }
    if (search === "") return { problem: `${which} is empty.` }
    const at = edited.indexOf(search)
    if (at === -1) return { problem: `${which} isn't in the file.`, nearest: nearestPlace(edited, search) }
    const again = edited.indexOf(search, at + 1)
    if (again !== -1) {
      const lines = `lines ${lineAt(edited, at)} and ${lineAt(edited, again)}`
      return { problem: `${which} occurs more than once (${lines}): include more of the surrounding lines.` }
    }
    edited = edited.slice(0, at) + replace + edited.slice(at + search.length)
  }
  return edited === text ? { problem: "The edits don't change anything." } : { text: edited }
}

/** Range of text that an edit replaces. */
export interface EditRange {
  at: number
  removed: number
  /** Converts a replacement, or the beginning of one, to the text's line endings. */
  adapt(replace: string): string
}

/** Returns the range that a search matches, or undefined if it doesn't match exactly once. */
export function findRange(text: string, search: string): EditRange | undefined {
  const adapted = withLineEndsOf(text, { search, replace: "" }).search
  const at = adapted === "" ? -1 : text.indexOf(adapted)
  if (at === -1 || text.includes(adapted, at + 1)) return undefined
  const isAdapted = adapted !== search
  return { at, removed: adapted.length, adapt: (replace) => (isAdapted ? withCrlf(replace) : replace) }
}

function withLineEndsOf(text: string, { search, replace }: Edit): Edit {
  const hasOwnEnds = text.includes(search) || search.includes("\r\n") || !text.includes("\r\n")
  if (hasOwnEnds) return { search, replace }
  return { search: withCrlf(search), replace: withCrlf(replace) }
}

function withCrlf(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n")
}

/**
 * Returns the lines that were probably meant: the line that is most similar to a line of the search text, and the lines
 * around it.
 */
export function nearestPlace(text: string, search: string): string | undefined {
  const lines = text.split("\n")
  const trimmed = lines.map((line) => line.trim())
  const wanted = search.split("\n").slice(0, Math.min(COMPARED_LINES, Math.ceil(MAX_PAIRS / lines.length)))
  let best = { likeness: LEAST_LIKENESS, first: -1 }
  const seen = new Set<string>()
  for (const [index, line] of wanted.map((line) => line.trim()).entries()) {
    if (line.length < MIN_LINE_CHARS || seen.has(line)) continue
    seen.add(line)
    for (const [at, other] of trimmed.entries()) {
      const likeness = likenessOf(line, other)
      if (likeness > best.likeness) best = { likeness, first: Math.max(0, at - index) }
    }
  }
  if (best.first === -1) return undefined
  const shown = lines.slice(best.first, best.first + Math.min(wanted.length, SHOWN_LINES)).join("\n")
  return `Did you mean this, from line ${best.first + 1}?\n${shown.slice(0, SHOWN_CHARS)}`
}

/** Minimum similarity for two lines to count as related. */
const LEAST_LIKENESS = 0.5
const MIN_LINE_CHARS = 4
const COMPARED_CHARS = 400
const COMPARED_LINES = 50
/** Maximum number of line pairs to compare, so that a long file doesn't block the server. */
const MAX_PAIRS = 500_000

/** Returns the share of two lines that is the same at their starts and ends, from 0 to 1. */
function likenessOf(a: string, b: string): number {
  const [least, most] = a.length < b.length ? [a.length, b.length] : [b.length, a.length]
  if (least < MIN_LINE_CHARS || most > COMPARED_CHARS) return a === b && a !== "" && most > COMPARED_CHARS ? 1 : 0
  let start = 0
  while (start < least && a[start] === b[start]) start++
  let end = 0
  while (end < least - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return (start + end) / most
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length
}
