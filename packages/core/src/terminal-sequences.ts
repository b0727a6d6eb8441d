/**
 * The text without a terminal's escape sequences. Node's `stripVTControlCharacters` takes the square of the number of strings,
 * such as titles of windows, that have no end; here the next sequence and the end of the line end them, too.
 */
export function withoutSequences(text: string): string {
  return text.replace(SEQUENCE, "")
}

// A string with its end, a control sequence, and another escape sequence, or as much of it as there is.
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it looks for
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])(?:[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c))?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?/g
