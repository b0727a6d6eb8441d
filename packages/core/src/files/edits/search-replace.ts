/** One replacement in a text. */
export interface Edit {
  /** A part of the text, character for character, that stands in it exactly once. */
  search: string
  replace: string
}

/** The text after all edits, or why one of them can't be made, in words that a model can act on. */
export type Edited = { text: string; problem?: undefined } | { problem: string; nearest?: string }

/** At most so much of the place that was probably meant is shown. */
const SHOWN_LINES = 12
const SHOWN_CHARS = 1_000

/**
 * Makes all edits, each on the result of those before it, or none. A search that doesn't stand in the text with its line ends
 * is looked for with those of the text, which its replacement then gets, too: models write "\n" whatever a file has.
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

/** The range of a text that an edit replaces. */
export interface EditRange {
  at: number
  removed: number
  /** A replacement, or its beginning, as it is put there. */
  adapt(replace: string): string
}

/** The range of a search; undefined where there is none, or more than one. */
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

/** The lines that were probably meant, as the file has them: around the one that is most like a line of the search. */
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

/** Lines that are less alike than that have nothing to do with each other. */
const LEAST_LIKENESS = 0.5
const MIN_LINE_CHARS = 4
const COMPARED_CHARS = 400
const COMPARED_LINES = 50

/** The share of two lines that is the same at their beginnings and at their ends. */
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
