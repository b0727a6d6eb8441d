/** One replacement in a text. */
export interface Edit {
  /** A part of the text, character for character, that stands in it exactly once. */
  search: string
  replace: string
}

/** The text after all edits, or why one of them can't be made, in words that a model can act on. */
export type Edited = { text: string; problem?: undefined } | { problem: string }

const SHOWN_CHARS = 200

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
    if (at === -1) return { problem: `${which} does not stand in the file.${nearestLine(edited, search)}` }
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

/** The place that was probably meant: where the search's first line that says something stands, space around it aside. */
function nearestLine(text: string, search: string): string {
  const wanted = search
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line.length > 3)
  const lines = text.split("\n")
  const at = wanted === undefined ? -1 : lines.findIndex((line) => line.trim() === wanted)
  if (at === -1) return ""
  return ` Its line ${JSON.stringify(wanted?.slice(0, SHOWN_CHARS))} is line ${at + 1} there; what follows, or the space around it, differs.`
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length
}
