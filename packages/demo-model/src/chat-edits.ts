import type { Shown } from "./chat-shown.ts"
import { pathIn } from "./chat-shown.ts"
import { RECORD_START } from "./project-record.ts"

/** Returns an answer with the requested edit, or undefined if the message doesn't match any rule. */
export function editAnswer(question: string, shown: Shown): string | undefined {
  return create(question, shown) ?? rename(question, shown) ?? replace(question, shown) ?? append(question, shown)
}

/** Example: Create `notes.md` with "Hello". */
function create(question: string, { paths }: Shown): string | undefined {
  const [, path, content] =
    /\bcreate\s+(?:a file\s+|the file\s+)?`?([\w./-]+\.\w+)`?\s+(?:with|containing|that says)\s+["“]([\s\S]+?)["”]\s*\.?$/i.exec(
      question.trim(),
    ) ?? []
  if (!path || content === undefined) return undefined
  if (paths.includes(path)) return `The file ${path} already exists. Select it, and ask me to change it.`
  return `Creating ${path}.\n\n${block(path, [], content.split("\n"))}`
}

/** Example: Rename `a` to `b` in `file`. */
function rename(question: string, shown: Shown): string | undefined {
  const [, from, to] = /\brename\s+[`"“]?([\w$]+)[`"”]?\s+to\s+[`"“]?([\w$]+)[`"”]?/i.exec(question) ?? []
  if (!from || !to) return undefined
  const word = new RegExp(`(?<![\\w$])${from.replaceAll("$", "\\$")}(?![\\w$])`, "g")
  return changed(question, shown, `\`${from}\``, (line) => line.replace(word, to))
}

/** Example: Replace "x" with "y" in `file`. */
function replace(question: string, shown: Shown): string | undefined {
  const [, from, to] =
    /\b(?:replace|change)\s+[`"“]([^`"”]+)[`"”]\s+(?:with|by|to|into)\s+[`"“]([^`"”]*)[`"”]/i.exec(question) ?? []
  if (!from || to === undefined) return undefined
  return changed(question, shown, `“${from}”`, (line) => line.replaceAll(from, to))
}

/** Example: Add "a line" to `file`. */
function append(question: string, shown: Shown): string | undefined {
  const [, added] =
    /\b(?:add|append)\s+(?:the line\s+)?[`"“]([^`"”]+)[`"”]\s+(?:to|at the end of)\b/i.exec(question) ?? []
  const path = added && pathIn(question, shown)
  const text = path && shown.files.get(path)
  if (!added || !path) return undefined
  if (text === undefined || text === "") return notShown(path)
  const lines = text.split("\n")
  const old = unique(lines, lines.length - 1, lines.length) ?? lines
  return `Adding a line to the end of ${path}.\n\n${block(path, old, [...old, added])}`
}

function changed(question: string, shown: Shown, what: string, edit: (line: string) => string): string | undefined {
  const change = (line: string) => (line.includes(RECORD_START) ? line : edit(line))
  const named = pathIn(question, shown)
  const holding = [...shown.files].filter(
    ([path, text]) => (!named || path === named) && text.split("\n").some((line) => change(line) !== line),
  )
  if (named && !shown.files.has(named)) return notShown(named)
  if (holding.length === 0) {
    const where = named ?? (shown.files.size === 0 ? undefined : "the selected files")
    return where ? `I can't find ${what} in ${where}.` : "Select the files that I should change, and ask me again."
  }
  const blocks = holding.flatMap(([path, text]) => blocksFor(path, text, change))
  const places = blocks.length === 1 ? "one place" : `${blocks.length} places`
  return `Changing ${what} in ${places}.\n\n${blocks.join("\n\n")}`
}

/**
 * Returns one block per run of changed lines, with enough context to be unique. If the file's lines repeat too often,
 * returns one block for the whole file.
 */
function blocksFor(path: string, text: string, change: (line: string) => string): string[] {
  const lines = text.split("\n")
  const touched = lines.flatMap((line, at) => (change(line) === line ? [] : [at]))
  const runs: { from: number; to: number }[] = []
  for (const at of touched) {
    const last = runs.at(-1)
    if (last && at - last.to < 3) last.to = at + 1
    else runs.push({ from: at, to: at + 1 })
  }
  const after = lines.map(change)
  // Blocks are applied in order, so the lines before a block have already been changed.
  const blocks: string[] = []
  for (const { from, to } of runs) {
    const present = [...after.slice(0, from), ...lines.slice(from)]
    const old = unique(present, from, to)
    if (!old) return [block(path, lines, after)]
    const at = indexOf(present, old)
    blocks.push(block(path, old, [...old.slice(0, from - at), ...after.slice(from, to), ...old.slice(to - at)]))
  }
  return blocks
}

/** Longer runs of equal lines are rare, and trying them all would take minutes in a long file of equal lines. */
const MAX_LINES_AROUND = 20

/** Returns the lines of a range with enough context to be unique, or undefined if that takes too many lines. */
function unique(lines: string[], from: number, to: number): string[] | undefined {
  for (let around = 0; around <= Math.min(lines.length, MAX_LINES_AROUND); around++) {
    const old = lines.slice(Math.max(0, from - around), Math.min(lines.length, to + around))
    if (countOf(lines, old) === 1) return old
  }
  return undefined
}

function countOf(lines: string[], wanted: string[]): number {
  return lines.filter((_, at) => wanted.every((line, index) => lines[at + index] === line)).length
}

function indexOf(lines: string[], wanted: string[]): number {
  return lines.findIndex((_, at) => wanted.every((line, index) => lines[at + index] === line))
}

function notShown(path: string): string {
  return `I haven't been shown ${path}. Select it, and ask me again.`
}

function block(path: string, old: string[], next: string[]): string {
  const lines = (some: string[]) => some.map((line) => `${line}\n`).join("")
  return `${path}\n<<<< EDIT\n${lines(old)}==== REPLACE\n${lines(next)}>>>> EDIT END`
}
