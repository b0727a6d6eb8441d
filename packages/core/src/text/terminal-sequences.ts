/**
 * Removes a terminal's escape sequences from the text. Node's `stripVTControlCharacters` takes quadratic time in the
 * number of unterminated strings, such as window titles. Here the next sequence and the end of the line also end them.
 */
export function withoutSequences(text: string): string {
  return text.replace(SEQUENCE, "")
}

// A string with its end, a control sequence, or another escape sequence. Any of them may be cut short.
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it looks for
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])(?:[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c))?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?/g
