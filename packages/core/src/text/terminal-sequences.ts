/**
 * Removes terminal escape sequences. Unlike for Node's `stripVTControlCharacters`, an unterminated string, such as a
 * window title, also ends at the next sequence or at the end of the line. Node's function takes quadratic time if there
 * are many unterminated strings.
 */
export function withoutSequences(text: string): string {
  return text.replace(SEQUENCE, "")
}

// Matches a string with its terminator, a control sequence, or another escape sequence. Each of them may be incomplete.
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])(?:[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c))?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?/g
