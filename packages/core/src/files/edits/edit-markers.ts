const MARKER = /^([ \t]*)(?:(<{4,}) (EDIT|SEARCH)|(={4,})( REPLACE)?|(>{4,}) (EDIT END|REPLACE))[ \t]*$/
const MAX_PATH_CHARS = 199

/** A line that starts, separates or ends an edit block. */
export interface Marker {
  kind: "start" | "separator" | "end"
  /** Kind, indentation and length. Equal for all markers of a block. */
  key: string
  indentation: string
  signs: number
}

/** Returns the marker in a line, or undefined if there is none. */
export function markerOf(line: string): Marker | undefined {
  const match = MARKER.exec(line)
  if (!match) return undefined
  const [, indentation = "", less, form, equal, replace, greater, end] = match
  const marker = (kind: Marker["kind"], sign: string, isEdit: boolean) => {
    return { kind, key: `${isEdit ? "EDIT" : "SEARCH"} ${sign.length} ${indentation}`, indentation, signs: sign.length }
  }
  if (less) return marker("start", less, form === "EDIT")
  if (equal) return marker("separator", equal, replace !== undefined)
  return greater === undefined ? undefined : marker("end", greater, end === "EDIT END")
}

/**
 * Returns the path in a line, or undefined. Surrounding backticks are removed. Only a path in backticks may contain
 * spaces.
 */
export function pathIn(words: string): string | undefined {
  const line = words.trimEnd()
  const [, quoted] = /^`([^`]+)`:?$/.exec(line) ?? []
  const path = quoted ?? line
  if (path.length === 0 || path.length > MAX_PATH_CHARS) return undefined
  if (/^(#|\/\/|\*|-|>|```)/.test(path)) return undefined
  if (/\s/.test(path)) return quoted !== undefined && /^\S.*\.\w+$/.test(path) ? path : undefined
  if (path.includes("/") || path.includes("\\")) return path
  // A name with an extension or leading dot, or a word such as Makefile.
  if (/^\.?[\w@+-]+(\.[\w@+-]+)*$/.test(path)) return path
  // A non-ASCII word may be prose unless it has an extension, because some languages don't use spaces.
  return /^\.?[\w@+\-.\p{L}\p{M}\p{N}]+\.\w+$/u.test(path) ? path : undefined
}

/** Returns a marker length that can't be confused with markers in the text, or undefined if any length will do. */
export function markerSignsFor(text: string): number | undefined {
  if (!/ (?:EDIT|REPLACE)/.test(text)) return undefined
  const markers = text.split("\n").flatMap((line) => markerOf(withoutCarriage(line)) ?? [])
  const longest = markers.reduce((most, { signs }) => Math.max(most, signs), 0)
  return longest === 0 ? undefined : longest + 1
}

export function withoutCarriage(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line
}
