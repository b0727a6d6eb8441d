import { extensionOf } from "../facts/file-kinds.ts"
import { type Fault, faultAt } from "../facts/finding.ts"
import { checkAnswerText, isProse } from "./answer-text.ts"
import { withoutOuterFence } from "./outer-fence.ts"
import { checkStrayText } from "./stray-text.ts"

/** Finds faults that don't depend on a file's language. */
export function checkWholeText(path: string, text: string, before: string | undefined): Fault[] {
  if (BINARY.has(extensionOf(path))) return checkBinary(path, text)
  const faults = [...checkEmpty(path, text), ...checkFence(path, text), ...checkShrinking(text, before)]
  // If the previous text looked like stray text too, this check can't judge the file.
  const wasStray = before !== undefined && strayIn(path, before).length > 0
  return faults.length > 0 || wasStray ? faults : strayIn(path, text)
}

function strayIn(path: string, text: string): Fault[] {
  const answer = checkAnswerText(path, text)
  return answer ? [answer] : checkStrayText(path, text)
}

const BINARY = new Set(
  "png jpg jpeg gif ico webp avif bmp tiff icns woff woff2 ttf otf eot mp3 mp4 wav ogg webm mov zip gz tgz bz2 xz 7z rar jar class exe dll so dylib pdf docx xlsx pptx sqlite wasm pyc".split(
    " ",
  ),
)

/** Matches text that begins a binary file (PDF, GIF) or stands in for one (a Git LFS pointer). */
const TEXT_AFTER_ALL = /^(?:%PDF|GIF8|version https:\/\/git-lfs)/

function checkBinary(path: string, text: string): Fault[] {
  if (TEXT_AFTER_ALL.test(text)) return []
  const message = `A .${extensionOf(path)} file can't be written as text. Draw it in an .svg file or with CSS, or omit it.`
  return [{ rule: "not_text", message }]
}

const NEVER_EMPTY =
  /(?:^|\/)(?:readme[^/]*|[^/]*\.(?:md|html?|json|css|jsx?|tsx?|mjs|cjs|go|rs|java|php|py)|dockerfile|makefile|requirements\.txt)$/i

/** Files that may be empty, because their existence is enough. */
const MAY_BE_EMPTY = /(?:^|\/)(?:__init__|conftest)\.py$|(?:^|\/)(?:tests?|specs?|__tests__)\//

function checkEmpty(path: string, text: string): Fault[] {
  if (text.trim() !== "" || MAY_BE_EMPTY.test(path) || !NEVER_EMPTY.test(path)) return []
  return [{ rule: "empty_file", message: "The file is empty." }]
}

function checkFence(path: string, text: string): Fault[] {
  const opening = /^\s*(`{3,}|~{3,})[ \t]*([\w+#.-]*)/.exec(text)
  if (!opening) return []
  const [, fence = "", language = ""] = opening
  if (isProse(path) && withoutOuterFence(path, text) === text) return []
  const message = `the file begins with a Markdown fence (${fence}${language}). Save only the text between the fences.`
  return [faultAt(text.slice(0, text.indexOf(fence)).split("\n").length, "markdown_fence", message)]
}

/** A text of at least this length isn't expected to shrink. Shorter texts are often rewritten completely. */
const MIN_SHRINKING_CHARS = 400

function checkShrinking(text: string, before: string | undefined): Fault[] {
  if (before === undefined || before.length < MIN_SHRINKING_CHARS || text.length * 2 >= before.length) return []
  const message =
    `The file shrank from ${count(before.length)} to ${count(text.length)} characters. ` +
    "Its earlier content must stay unless the task removes it, so write the whole file."
  return [{ rule: "shrunk", message }]
}

function count(chars: number): string {
  return chars.toLocaleString("en")
}
