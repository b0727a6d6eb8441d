/** One replacement in a text. */
export interface Edit {
  /** Part of the text that occurs exactly once, character for character. */
  search: string
  replace: string
}

/** Text after all edits, or a problem with an edit, in words that a model can act on. */
export type Edited = { text: string; problem?: undefined } | { problem: string; nearest?: string }

/** Limits for showing the place that was probably meant. */
const SHOWN_LINES = 12
const SHOWN_CHARS = 1_000

/**
 * Makes all edits in order, or none. Models always write "\n". So a search that doesn't match is repeated with the line
 * ends of the text, which its replacement then uses, too.
 */
export function applyEdits(text: string, edits: Edit[]): Edited {
  let edited = text
  for (const [index, edit] of edits.entries()) {
    const which = edits.length === 1 ? "The text to search for" : `The text to search for of edit ${index + 1}`
    const { search, replace } = withLineEndsOf(edited, edit)
    if (search === "") return { problem: `${which} is empty.` }
    const at = edited.indexOf(search)
    if (at === -1) return { problem: `${which} does not stand in the file.`, nearest: nearestPlace(edited, search) }
    const again = edited.indexOf(search, at + 1)
    if (again !== -1) {
      const lines = `lines ${lineAt(edited, at)} and ${lineAt(edited, again)}`
      return { problem: `${which} stands in the file more than once (${lines}): take more of the lines around it.` }
    }
    edited = edited.slice(0, at) + replace + edited.slice(at + search.length)
  }
  return edited === text ? { problem: "The edits change nothing." } : { text: edited }
}

/** Range of a text that an edit replaces. */
export interface EditRange {
  at: number
  removed: number
  /** Adapts a replacement, or its beginning, to the line ends of the text. */
  adapt(replace: string): string
}

/** Returns the range of a search, or undefined if it doesn't occur exactly once. */
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

/** Returns the lines that were probably meant, around the line most similar to a line of the search. */
function nearestPlace(text: string, search: string): string | undefined {
  const lines = text.split("\n")
  const wanted = search.split("\n").slice(0, COMPARED_LINES)
  let best = { likeness: LEAST_LIKENESS, first: -1 }
  for (const [index, line] of wanted.entries()) {
    for (const [at, other] of lines.entries()) {
      const likeness = likenessOf(line.trim(), other.trim())
      if (likeness > best.likeness) best = { likeness, first: Math.max(0, at - index) }
    }
  }
  if (best.first === -1) return undefined
  const shown = lines.slice(best.first, best.first + Math.min(wanted.length, SHOWN_LINES)).join("\n")
  return `What it has there, from line ${best.first + 1}:\n${shown.slice(0, SHOWN_CHARS)}`
}

/** Minimum similarity of related lines. */
const LEAST_LIKENESS = 0.5
const MIN_LINE_CHARS = 4
const COMPARED_CHARS = 400
const COMPARED_LINES = 50

/** Returns the share of two lines that is the same at their starts and ends. */
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
