const MARKER = /^([ \t]*)(?:(<{4,}) (EDIT|SEARCH)|(={4,})( REPLACE)?|(>{4,}) (EDIT END|REPLACE))[ \t]*$/

/** A line that starts, separates or ends an edit block. */
export interface Marker {
  kind: "start" | "separator" | "end"
  /** Kind, indentation and length of the marker. Identical for all markers of a block. */
  key: string
  indentation: string
  signs: number
}

/** Returns the marker on a line, or undefined if the line isn't a marker. */
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

/** Returns a marker length that can't be confused with markers in the text. Undefined if any length is suitable. */
export function markerSignsFor(text: string): number | undefined {
  if (!/ (?:EDIT|REPLACE)/.test(text)) return undefined
  const markers = text.split("\n").flatMap((line) => markerOf(withoutCarriage(line)) ?? [])
  const longest = markers.reduce((most, { signs }) => Math.max(most, signs), 0)
  return longest === 0 ? undefined : longest + 1
}

export function withoutCarriage(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line
}
