import { type AnswerPart, createAnswerReader } from "@switchyard/core/files/edits/edit-blocks"

/**
 * Writes an answer while it arrives, with the name of the file in place of an edit's lines. An answer that begins anew, because
 * the model was asked again, is written anew.
 */
export function createAnswerWriter(write: (piece: string) => void) {
  const read = createAnswerReader()
  let shown = ""

  function show(text: string) {
    if (shown.startsWith(text)) return
    if (text.startsWith(shown)) write(text.slice(shown.length))
    else write(`\n\n[The answer begins anew.]\n${text}`)
    shown = text
  }

  return {
    /** Takes the whole answer so far. */
    update: (content: string) => show(settledText(content, read(content, { isGrowing: true }))),
    /** Takes the whole answer, and ends the line. */
    end(response: string) {
      show(textOf(read(response, { isGrowing: false })))
      if (shown !== "") write("\n")
    },
  }
}

function textOf(parts: AnswerPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : `[edit of ${part.block.path}]`)).join("\n")
}

/** The text that no more of the answer can change: without a last word, and without lines that may begin an edit. */
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

/** Whether a line, as far as it goes, may be the path that an edit begins with, or the marker after that. */
function mayOpenEdit(line: string): boolean {
  const word = line.trim()
  return /^[\x21-\x7e]*$/.test(word) || (word.includes("/") && !/\s/.test(word)) || /^<{4,9}/.test(word)
}

/** Between the path of an edit and its marker, a blank line or the opening of a fence may stand. */
function isBetween(line: string): boolean {
  return /^(?:(?:`{3,}|~{3,})[\w+#.-]*)?$/.test(line.trim())
}

/** Omits the last word, which may be incomplete: sanitizing and redacting must see each word whole. */
function withoutLastWord(line: string): string {
  let end = line.length
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of a terminal begin with one
  while (end > 0 && /[\u001b\u0021-\u007e\ud800-\udfff]/.test(line[end - 1] ?? "")) end--
  return line.slice(0, end)
}
