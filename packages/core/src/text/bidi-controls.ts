const REORDERING = /[\u202a-\u202e\u2066-\u2069]/g

/**
 * Replaces bidirectional control characters with their names, such as `[U+202E]`. These invisible characters reorder
 * the text after them, and can make a command, file name or line of code look like something else (Unicode Technical
 * Report 36, CVE-2021-42574).
 */
export function showBidiControls(text: string): string {
  return text.replace(REORDERING, (char) => `[U+${char.charCodeAt(0).toString(16).toUpperCase()}]`)
}
