import { extensionOf } from "../facts/file-kinds.ts"
import { type Fault, faultAt } from "../facts/finding.ts"
import { stray } from "./answer-text.ts"

/** Finds text from an answer, a patch or a tool that surrounds or replaces a file's content. */
export function checkStrayText(path: string, text: string): Fault[] {
  const extension = extensionOf(path)
  const found = [checkPatch(extension, text), checkConflict(extension, text), checkTokens(text)]
  if (MARKED_UP.has(extension)) found.push(checkEscapes(text), checkEntities(extension, text), checkNumbers(text))
  return found.filter((fault) => fault !== undefined)
}

/** Formats in which almost any text is valid. */
const MARKED_UP = new Set(["md", "markdown", "html", "htm", "css", "svg"])
const MARKDOWN = new Set(["md", "mdx", "markdown"])

function checkPatch(extension: string, text: string): Fault | undefined {
  if (extension === "diff" || extension === "patch") return undefined
  if (!/^\s*(?:diff --git .*\n(?:.*\n){0,4})?--- \S.*\n\+\+\+ \S.*\n@@ -\d/.test(text)) return undefined
  return faultAt(1, "stray_text", "the file is a patch. Save the complete patched text.")
}

const MARKERS = [/^<{7} \S/, /^={7}$/, /^>{7} \S/]

/**
 * Finds conflict markers, which models also use for search-and-replace blocks. In Markdown, ignores markers inside a
 * fence.
 */
function checkConflict(extension: string, text: string): Fault | undefined {
  let fence = ""
  const seen: number[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [mark = ""] = (MARKDOWN.has(extension) && /^ {0,3}(?:`{3,}|~{3,})/.exec(line)) || []
    if (mark) fence = fence === "" ? mark : line.startsWith(fence) ? "" : fence
    if (fence === "" && MARKERS[seen.length]?.test(line)) seen.push(index + 1)
  }
  const [start] = seen
  if (start === undefined || seen.length < MARKERS.length) return undefined
  return faultAt(start, "stray_text", "conflict markers. Save the resolved text.")
}

/** Finds remnants of a chat template, or of a model's thinking, at the start or end of a text. */
function checkTokens(text: string): Fault | undefined {
  const thought = /^\s*<think(?:ing)?>/.exec(text)
  if (thought) return stray(text, 0, thought[0])
  const token = /<\|(?:im_end|im_start|end|endoftext|eot_id|eom_id|return|end_of_text|channel|message)\|>\s*$/.exec(
    text,
  )
  return token ? stray(text, token.index, token[0]) : undefined
}

/** Finds a text that is all on one line because its line breaks were escaped. */
function checkEscapes(text: string): Fault | undefined {
  if (text.trim().includes("\n") || (text.match(/\\n/g)?.length ?? 0) < 2) return undefined
  return faultAt(1, "stray_text", String.raw`the line breaks are written as \n. Save the text with real ones.`)
}

function checkEntities(extension: string, text: string): Fault | undefined {
  if (MARKDOWN.has(extension) || extension === "css") return undefined
  if (!/^\s*&lt;(?:!doctype|[a-z])/i.test(text)) return undefined
  return faultAt(1, "stray_text", "the tags are escaped (&lt;). Save the markup itself.")
}

const MIN_NUMBERED_LINES = 3

/** Finds text with line numbers that a tool added. */
function checkNumbers(text: string): Fault | undefined {
  const lines = text.trimEnd().split("\n")
  const isNumbered = lines.every((line, index) => new RegExp(`^ *${index + 1}(?:\\t|: | ?\\| ?|:?$)`).test(line))
  if (lines.length < MIN_NUMBERED_LINES || !isNumbered) return undefined
  return faultAt(1, "stray_text", "every line begins with its number. Save the text without the numbers.")
}
