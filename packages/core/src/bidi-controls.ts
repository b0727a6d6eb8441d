const REORDERING = /[\u202a-\u202e\u2066-\u2069]/g

/**
 * The text with its controls of direction as their names, as in `[U+202E]`. Unseen, they change the order of what follows, so that a
 * command, a file's name or a line of code reads as another (Unicode Technical Report 36, CVE-2021-42574).
 */
export function showBidiControls(text: string): string {
  return text.replace(REORDERING, (char) => `[U+${char.charCodeAt(0).toString(16).toUpperCase()}]`)
}
