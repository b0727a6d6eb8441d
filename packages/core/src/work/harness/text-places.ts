const MAX_LINE_CHARS = 200

/** Returns the lines that contain `wanted`, ignoring case, as `path:line: text`. `wanted` must be in lower case. */
export function placesIn(path: string, content: string, wanted: string): string[] {
  return content
    .split("\n")
    .flatMap((line, index) =>
      line.toLowerCase().includes(wanted) ? [`${path}:${index + 1}: ${line.trim().slice(0, MAX_LINE_CHARS)}`] : [],
    )
}

/** Formats up to `most` places as an answer for a model. */
export function placesText(places: readonly string[], most: number): string {
  if (places.length === 0) return "The text wasn't found."
  const more = places.length > most ? [`[The first ${most} places. Search for something longer, or in a folder.]`] : []
  return [...places.slice(0, most), ...more].join("\n")
}
