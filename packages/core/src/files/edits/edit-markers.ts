const MARKER = /^([ \t]*)(?:(<{4,}) (EDIT|SEARCH)|(={4,})( REPLACE)?|(>{4,}) (EDIT END|REPLACE))[ \t]*$/
const MAX_PATH_CHARS = 199

/** A line that begins, separates or ends an edit block. */
export interface Marker {
  kind: "start" | "separator" | "end"
  /** Form, indentation and length. Markers of one block share them. */
  key: string
  indentation: string
  signs: number
}

/** Returns the marker in a line, or undefined if it has none. */
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
 * Returns the path in a line, if it may be one. Backticks around it are not part of it. Only within them may it contain
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
  // A name with an extension or a leading dot, or a word such as Makefile.
  if (/^\.?[\w@+-]+(\.[\w@+-]+)*$/.test(path)) return path
  // A word with non-ASCII letters may be prose unless it has an extension, because not every language uses spaces.
  return /^\.?[\w@+\-.\p{L}\p{M}\p{N}]+\.\w+$/u.test(path) ? path : undefined
}

/** Returns the marker length that differs from markers in a text, or undefined if any length will do. */
export function markerSignsFor(text: string): number | undefined {
  if (!/ (?:EDIT|REPLACE)/.test(text)) return undefined
  const markers = text.split("\n").flatMap((line) => markerOf(withoutCarriage(line)) ?? [])
  const longest = markers.reduce((most, { signs }) => Math.max(most, signs), 0)
  return longest === 0 ? undefined : longest + 1
}

/** Returns a line without the carriage return at its end. */
export function withoutCarriage(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line
}
