/**
 * Returns the first line of a recording in asciicast version 2 (docs.asciinema.org/manual/asciicast/v2). Its
 * `timestamp` is in whole seconds. Players ignore `began_at_ms`, which is exact and used to find events in a recording.
 */
export function castHeader(about: { rows: number; cols: number; beganAtMs: number; title: string }): string {
  const { rows: height, cols: width, title } = about
  const began_at_ms = Math.floor(about.beganAtMs)
  return `${JSON.stringify({ version: 2, width, height, timestamp: Math.floor(began_at_ms / 1000), title, began_at_ms })}\n`
}

/**
 * Returns a line with output, or with a new size as `COLSxROWS`. The line's time is rounded down, so that output never
 * seems to come after the event that followed it.
 */
export function castLine(sinceBeganMs: number, kind: "o" | "r", text: string): string {
  return `${JSON.stringify([Math.floor(sinceBeganMs) / 1000, kind, text])}\n`
}
