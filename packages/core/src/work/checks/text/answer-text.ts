import { extensionOf, nameOf } from "../facts/file-kinds.ts"
import { type Fault, faultAt, lineAt, quoted } from "../facts/finding.ts"

const PROSE = new Set(["", "md", "mdx", "markdown", "txt", "rst", "adoc", "qmd", "rmd"])
/** Files that look like prose but are read by programs. */
const CODE_NAMES =
  /^(?:dockerfile|makefile|procfile|gemfile|rakefile|(?:requirements|constraints)[\w.-]*\.txt|\.[a-z]+(?:ignore|rc|attributes|config)?|\.env[^/]*)$/i

/** Returns true if a file is read by people rather than programs. */
export function isProse(path: string): boolean {
  return PROSE.has(extensionOf(path)) && !CODE_NAMES.test(nameOf(path))
}

/** Finds text from a model's answer that was saved before, after or instead of a file's content. */
export function checkAnswerText(path: string, text: string): Fault | undefined {
  return (
    checkRefusal(text) ??
    checkOpening(path, text) ??
    checkElement(path, text) ??
    checkToolTag(text) ??
    checkEnding(path, text)
  )
}

const REFUSAL = /^\s*(?:(?:I['’]m|I am) sorry\b|(?:Sorry, )?I (?:can['’]?t|cannot|am unable to)\b|As an AI\b)/

function checkRefusal(text: string): Fault | undefined {
  if (!REFUSAL.test(text)) return undefined
  return faultAt(1, "stray_text", "the file begins with a refusal. Save the file's own content.")
}

const OPENING =
  /^\s*((?:Here(?:['’]s| is| are)|Sure[,!.]|Certainly[,!.]|Of course[,!.]|Below (?:is|are)|I['’]ve|I have|The following is|Okay,|This is the (?:complete|updated|full))[^\n]*)\n\s*\n?/

/** Finds a first line that announces the file. In prose, such a line counts only if it is followed by a title. */
function checkOpening(path: string, text: string): Fault | undefined {
  const opening = OPENING.exec(text)
  const [all = "", line = ""] = opening ?? []
  if (!opening || /[;{}=]/.test(line)) return undefined
  const announces = !isProse(path) || (/:\s*$/.test(line) && /^(?:# |```|---\n)/.test(text.slice(all.length)))
  return announces ? stray(text, all.indexOf(line), line) : undefined
}

/** Finds a script that is still wrapped in a page's `<script>` tag. */
function checkElement(path: string, text: string): Fault | undefined {
  if (!/^(?:[cm]?[jt]s|[jt]sx)$/.test(extensionOf(path)) || !/^\s*<script\b[^>]*>[ \t]*\n/.test(text)) return undefined
  return stray(text, text.search(/\S/), text.trim().split("\n", 1)[0] ?? "")
}

const TOOL_TAG =
  /^<\/(content|parameter|invoke|function_calls|function|tool_call|tool_use|write_file|edit_file|file_content|antArtifact|boltAction)>$/

/** Finds the closing tag of an XML-like tool call. */
function checkToolTag(text: string): Fault | undefined {
  const { line, index } = lastLine(text)
  const tag = TOOL_TAG.exec(line)
  return tag && index > 0 && !text.includes(`<${tag[1]}`) ? stray(text, index, line) : undefined
}

const ENDING =
  /^(?:This|These|The|It|I|I['’]ve|You|Let me|Note|Key|Changes|Now|To run|With this)\b[^;{}=<>()[\]\\"|]+[.!?:]$/

/** Finds a closing fence, or a final sentence after an empty line, in a file that programs read. */
function checkEnding(path: string, text: string): Fault | undefined {
  const { line, index } = lastLine(text)
  if (isProse(path) || index === 0) return undefined
  if (/^(?:`{3,}|~{3,})$/.test(line)) {
    const message = "a Markdown fence ends the file. Save only the text before it."
    return faultAt(lineAt(text, index), "markdown_fence", message)
  }
  const isAlone = lastLine(text.slice(0, index), { trimmed: false }).line.trim() === ""
  return isAlone && ENDING.test(line) && line.split(" ").length >= 4 ? stray(text, index, line) : undefined
}

/** Returns the last line of a text and the index of its start. With `trimmed`, ignores whitespace at the end. */
function lastLine(text: string, { trimmed = true } = {}): { line: string; index: number } {
  const whole = trimmed ? text.trimEnd() : text.slice(0, -1)
  const index = whole.lastIndexOf("\n") + 1
  return { line: whole.slice(index).trim(), index }
}

/** Creates a fault for a line that isn't part of the file. */
export function stray(text: string, index: number, line: string): Fault {
  return faultAt(lineAt(text, index), "stray_text", `"${quoted(line)}" isn't part of the file. Save only its content.`)
}
