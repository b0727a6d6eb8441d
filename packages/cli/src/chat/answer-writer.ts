import { createAnswerReader } from "@switchyard/core/files/edits/answer-edits"
import type { AnswerPart } from "@switchyard/core/files/edits/edit-blocks"
import { mayBePath } from "@switchyard/core/files/edits/edit-paths"

/**
 * Creates a writer that prints an answer while it arrives. Instead of the lines of an edit, prints only the file's
 * name. If the model restarts its answer, prints the answer again.
 */
export function createAnswerWriter(write: (piece: string) => void) {
  const read = createAnswerReader()
  let shown = ""

  function show(text: string) {
    if (shown.startsWith(text)) return
    if (text.startsWith(shown)) write(text.slice(shown.length))
    else write(`\n\n[The model restarted its answer.]\n${text}`)
    shown = text
  }

  return {
    /** Shows the answer so far. `content` is the complete text that has arrived. */
    update: (content: string) => show(settledText(content, read(content, { isGrowing: true }))),
    /** Shows the complete answer and ends the line. */
    end(response: string) {
      show(textOf(read(response, { isGrowing: false })))
      if (shown !== "") write("\n")
    },
  }
}

function textOf(parts: AnswerPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : `[edit of ${part.block.path}]`)).join("\n")
}

/**
 * Returns the part of the text that won't change any more. Leaves out the last word, and lines that could be the start
 * of an edit.
 */
function settledText(content: string, parts: AnswerPart[]): string {
  const last = parts.pop()
  if (last?.type !== "text") return textOf(last ? [...parts, last] : [])
  const settled = withoutOpening(content.endsWith("\n") ? `${last.text}\n` : last.text)
  return textOf(settled === "" ? parts : [...parts, { type: "text", text: settled }])
}

function withoutOpening(text: string): string {
  const lines = text.split("\n")
  const last = lines.pop() ?? ""
  if (!mayOpenEdit(last)) return [...lines, withoutLastWord(last)].join("\n")
  let end = lines.length
  while (end > 0 && isBetween(lines[end - 1] ?? "")) end--
  if (end > 0 && mayOpenEdit(lines[end - 1] ?? "")) end--
  return lines.slice(0, end).join("\n")
}

/** True if an incomplete line may become the path before an edit, or the marker after the path. */
function mayOpenEdit(line: string): boolean {
  return mayBePath(line) || /^<{4,9}/.test(line.trim())
}

/** True for lines that may stand between an edit's path and its marker: a blank line or a code fence. */
function isBetween(line: string): boolean {
  const text = line.trim()
  return text === "" || /^(?:`{3,}|~{3,})/.test(text)
}

/** Removes the last word, because it may be incomplete. Only complete words can be sanitized and redacted. */
function withoutLastWord(line: string): string {
  let end = line.length
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences start with a control character
  while (end > 0 && /[\u001b\u0021-\u007e\ud800-\udfff]/.test(line[end - 1] ?? "")) end--
  return line.slice(0, end)
}
