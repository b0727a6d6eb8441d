import type { PagePart } from "./plain-html.ts"

/** Elements that are placed on a line of their own. */
const LINES = new Set(["caption", "dd", "dt", "figcaption", "li", "option", "summary", "tr"])
/** Elements with an empty line before and after them. */
const BLOCKS = new Set([
  ...["address", "article", "blockquote", "center", "details", "dialog", "div", "dl", "fieldset", "figure", "h1", "h2"],
  ...["h3", "h4", "h5", "h6", "header", "hgroup", "hr", "main", "ol", "p", "pre", "section", "table", "ul"],
])
const HEADING = /^h[1-6]$/
const EMPHASIS: Record<string, string> = { b: "**", strong: "**", i: "_", em: "_", s: "~~", del: "~~", strike: "~~" }

/**
 * Converts a page to Markdown in time linear in the input and output. Stops after `maxChars`, including the indentation
 * of nested lists and quotations.
 */
export function plainMarkdown(page: readonly PagePart[], maxChars: number): string {
  const lines = createLines(maxChars)
  const lists: { nextNumber: number | undefined }[] = []
  let openCells = 0
  let cellsInRow = 0
  let openPres = 0
  let code: { text: string; language: string } | undefined

  function start(name: string, language: string) {
    if (code) {
      code.language ||= language
      if (name === "br") code.text += "\n"
      if (name === "pre") openPres++
      return
    }
    if (name in EMPHASIS) lines.openEmphasis(EMPHASIS[name] as string)
    if (name === "br") lines.end()
    if (name === "hr") lines.addBlock("---")
    if (name === "pre" || name === "code") code = { text: "", language: "" }
    if (name === "pre") openPres++
    if (name === "td" || name === "th") {
      if (cellsInRow > 0) lines.addText(" | ")
      cellsInRow++
      openCells++
    }
    if (openCells > 0 && (name === "p" || name === "div")) return lines.addText(" ")
    if (BLOCKS.has(name)) lines.separate(lists.length > 0 && (name === "ul" || name === "ol") ? "line" : "block")
    if (LINES.has(name)) lines.separate("line")
    if (name === "tr") cellsInRow = 0
    if (name === "ul" || name === "ol") lists.push({ nextNumber: name === "ol" ? 1 : undefined })
    if (name === "blockquote") lines.openContainer("> ", "> ")
    if (name === "li") {
      const list = lists.at(-1)
      const mark = list?.nextNumber === undefined ? "- " : `${list.nextNumber++}. `
      lines.openContainer(mark, " ".repeat(mark.length))
    }
    if (HEADING.test(name)) lines.openContainer(`${"#".repeat(Number(name[1]))} `, "")
  }

  function end(name: string) {
    if (code && name === "pre" && --openPres === 0) {
      const text = code.text.replace(/^\n/, "").replace(/\n$/, "")
      const fence = fenceOf(text, 3)
      lines.addBlock(`${fence}${code.language}\n${text}\n${fence}`)
      code = undefined
    } else if (code && name === "code" && openPres === 0) {
      const text = code.text.trim()
      const fence = fenceOf(text, 1)
      if (text !== "") lines.addText(`${fence}${text}${fence}`)
      code = undefined
    }
    if (code) return
    if (name in EMPHASIS) lines.closeEmphasis(EMPHASIS[name] as string)
    if (name === "td" || name === "th") openCells--
    if (openCells > 0 && (name === "p" || name === "div")) return lines.addText(" ")
    if (BLOCKS.has(name)) lines.separate(lists.length > 1 && (name === "ul" || name === "ol") ? "line" : "block")
    if (LINES.has(name)) lines.separate("line")
    if (name === "ul" || name === "ol") lists.pop()
    if (name === "li" || name === "blockquote" || HEADING.test(name)) lines.closeContainer()
  }

  for (const part of page) {
    if (lines.isFull()) break
    if ("start" in part) start(part.start, part.language)
    else if ("end" in part) end(part.end)
    else if (code) code.text += part.text
    else lines.addText(part.text)
  }
  return lines.text()
}

/** Collects Markdown lines inside the list items and quotations that are currently open. */
function createLines(maxChars: number) {
  const written: string[] = []
  let chars = 0
  let line = ""
  let hasSpace = false
  let hasEmptyLine = false
  const emphasis: { mark: string; depth: number; isWritten: boolean }[] = []
  const containers: { first: string; rest: string; isNew: boolean }[] = []

  const write = (text: string) => {
    written.push(text)
    chars += text.length + 1
  }
  const writeLines = (text: string) => {
    if (chars > maxChars) return
    if (hasEmptyLine && written.length > 0) write(containers.map(({ rest, isNew }) => (isNew ? "" : rest)).join(""))
    hasEmptyLine = false
    for (const one of text.split("\n")) {
      if (chars > maxChars) return
      write(containers.map(({ first, rest, isNew }) => (isNew ? first : rest)).join("") + one)
      for (const container of containers) container.isNew = false
    }
  }
  const end = () => {
    const ends = emphasis.filter(({ isWritten }) => isWritten).map(({ mark }) => mark)
    if (line !== "") writeLines(line + ends.toReversed().join(""))
    // Emphasis that surrounds several blocks starts again in each block.
    for (const open of emphasis) open.isWritten = false
    line = ""
    hasSpace = false
  }
  const separate = (by: "line" | "block") => {
    end()
    if (by === "block" && !containers.at(-1)?.isNew) hasEmptyLine = true
  }
  const isFull = () => chars + line.length > maxChars
  return {
    end,
    separate,
    isFull,
    addBlock(text: string) {
      separate("block")
      writeLines(text)
      separate("block")
    },
    addText(text: string) {
      if (isFull()) return
      const words = text.split(/[ \t\n\r\f]+/)
      for (const [index, word] of words.entries()) {
        if (index > 0) hasSpace = true
        if (word === "") continue
        if (hasSpace && line !== "") line += " "
        hasSpace = false
        for (const open of emphasis.filter(({ isWritten }) => !isWritten)) {
          line += open.mark
          open.isWritten = true
        }
        line += word
      }
    },
    openEmphasis(mark: string) {
      const open = emphasis.find((one) => one.mark === mark)
      if (open) open.depth++
      else emphasis.push({ mark, depth: 1, isWritten: false })
    },
    closeEmphasis(mark: string) {
      const at = emphasis.findIndex((one) => one.mark === mark)
      const open = emphasis[at]
      if (!open || --open.depth > 0) return
      if (open.isWritten) line += mark
      emphasis.splice(at, 1)
    },
    openContainer: (first: string, rest: string) => void containers.push({ first, rest, isNew: true }),
    closeContainer: () => void containers.pop(),
    text() {
      end()
      return written.map((one) => one.trimEnd()).join("\n")
    },
  }
}

/** Returns a sequence of at least `least` backticks that doesn't occur in the text. */
function fenceOf(text: string, least: number): string {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return "`".repeat(longest >= least ? longest + 1 : least)
}
