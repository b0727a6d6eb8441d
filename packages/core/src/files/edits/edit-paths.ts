const MAX_PATH_CHARS = 199
const MAX_LINE_CHARS = 260
const LONG_WORD_CHARS = 40

/** Returns true if the path belongs to a file that was shown to the model. */
export type IsKnownPath = (path: string) => boolean

/** Characters before a path that mark it as a heading, a list item, or both. */
const LEAD = /^(?:(?:#{1,6}|[-*+]|\d{1,3}[.)])[ \t]+)+/
const LABEL = /^[*_]{0,2}(?:new )?(?:file ?(?:name|path)?|path)[*_]{0,2}:[*_]{0,2}[ \t]+/i
const WRAP = /^(\*\*|__|[*_`"'])(.+)\1$/
const REMARK = /[ \t]*\((?:new|new file|created|updated|modified)\)$/i

/**
 * Returns the path if a line consists only of a path, and undefined otherwise. A line that exactly equals a known path
 * is always that path, regardless of its characters. Models may write a path as a heading or list item, emphasised, in
 * quotation marks, or after a label such as `File:`. Only a path in backticks may contain spaces.
 */
export function pathIn(words: string, isKnown: IsKnownPath): string | undefined {
  const line = words.trimEnd()
  if (line === "" || isKnown(line)) return line || undefined
  if (line.length > MAX_LINE_CHARS) return undefined
  const path = undecorated(line)
  if (isKnown(path)) return path
  if (path.length > MAX_PATH_CHARS || /^(#|\/\/|\*|-|>|```)/.test(path)) return undefined
  const isQuoted = line.includes(`\`${path}\``)
  if (/\s/.test(path)) return isQuoted && /^\S.*\.\w+$/.test(path) ? path : undefined
  const isPlain = /^`?([^`]*)`?:?$/.exec(line)?.[1] === path || LABEL.test(line.replace(LEAD, ""))
  return isPlain ? plainPath(path) : /\.[a-z]\w*$/i.test(path) ? plainPath(path) : undefined
}

/** Returns the path named in the opening line of a code fence, as in "```ts src/a.ts" or "```ts title=src/a.ts". */
export function pathInFence(line: string, isKnown: IsKnownPath): string | undefined {
  if (line.length > MAX_LINE_CHARS) return undefined
  const info = /^(?:`{3,}|~{3,})(.*)/.exec(line)?.[1]?.trim() ?? ""
  const [, named = ""] = /\b(?:title|file|filename|path|name)=("[^"]*"|'[^']*'|\S+)/.exec(info) ?? []
  const [, after = ""] = /^[\w+#.-]*(?::|[ \t]+)([^\s:]+)$/.exec(info) ?? []
  const isFile = (path: string) => isKnown(path) || (/\.[a-z]\w*$/i.test(path) && plainPath(path) !== undefined)
  const path = [named.replaceAll(/^["']|["']$/g, ""), after].find(isFile)
  return path ?? (info.includes("/") || isKnown(info) ? [info].find(isFile) : undefined)
}

/** Returns true if a line is a path that may introduce a block, or may become one. The line may be incomplete. */
export function mayBePath(line: string): boolean {
  if (line.length > MAX_LINE_CHARS) return false
  const rest = line.replace(LEAD, "").replace(LABEL, "").trimEnd()
  if (/^[*_]{0,2}(?:new )?(?:file )?\w*[*_]{0,2}:?[*_]{0,2}$/i.test(rest)) return true
  if (!/^(?:[*_"']*`[^`]*(?:`\S*)?|\S*)(?:[ \t]*\([\w ]*\)?)?$/.test(rest)) return false
  // Some languages are written without spaces, so a long word may be a sentence.
  return rest.length <= LONG_WORD_CHARS || rest.includes("/") || /^[\x20-\x7e]*$/.test(rest)
}

function undecorated(line: string): string {
  let path = line.replace(LEAD, "")
  for (let before = ""; before !== path; ) {
    before = path
    path = path
      .replace(REMARK, "")
      .replace(/(?<=.):$/, "")
      .replace(WRAP, "$2")
      .replace(LABEL, "")
  }
  return path
}

/** Returns the text if it is a path without spaces. Undefined if it might be an ordinary word. */
function plainPath(path: string): string | undefined {
  if (path.includes("/") || path.includes("\\")) return path
  // A word such as `Makefile`.
  if (/^\.?[\w@+-]+$/.test(path)) return path
  // Some languages are written without spaces, so a word counts as a name only if it has an extension.
  return /^[^\s`"'<>|*?:]+\.\w+$/.test(path) ? path : undefined
}
