/**
 * Matches comments that begin with slashes, and strings. Strings come first in the pattern, because they may contain
 * comment markers. Escapes are matched too. Otherwise, each escaped quote could start a search for the end of a string,
 * which takes quadratic time. `://` is part of an address, not a comment.
 */
export const SLASHES =
  /(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|\\[\s\S])|(?<!:)\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g
/** Matches comments that begin with `#`, and strings. */
export const HASHES = /(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\\[\s\S])|(?<=^|\s)#[^\n]*/g

const BLOCKS = /\/\*[\s\S]*?(?:\*\/|$)/g
/** Matches comments in a page, its styles and its scripts. The `/*` in `accept="image/*"` doesn't begin a comment. */
const MARKUP = /<!--[\s\S]*?(?:-->|$)|(?<=^|[\s;{}>])\/\*[\s\S]*?(?:\*\/|$)/g

/** Removes the comments that a pattern matches. Keeps strings and line breaks. */
export function withoutComments(text: string, pattern: RegExp): string {
  return text.replaceAll(pattern, (found, string?: unknown) =>
    typeof string === "string" ? string : found.replaceAll(/[^\n]/g, ""),
  )
}

/** Returns the pattern for comments in files with this extension. Undefined if it isn't known. */
export function commentsOf(extension: string): RegExp | undefined {
  if (/^(?:html?|vue|svelte|astro|svg|xml)$/.test(extension)) return MARKUP
  if (extension === "css") return BLOCKS
  if (/^(?:py|rb|sh|bash|ya?ml|toml|exs?)$/.test(extension)) return HASHES
  return /^(?:[cm]?[jt]sx?|go|rs|java|kts?|cs|php|swift|c|h|cpp|scss|less)$/.test(extension) ? SLASHES : undefined
}
