/** A piece of a line's text. `marked` if it differs from its counterpart. */
export interface TextRun {
  text: string
  marked: boolean
}

export interface ChangedLine {
  sign: "+" | "-" | " "
  runs: TextRun[]
}

/**
 * Returns the lines in which two texts differ, with one line of context, and marks the words that differ between paired
 * lines.
 */
export function changedLines(oldText: string, newText: string): ChangedLine[] {
  const before = oldText === "" ? [] : oldText.split("\n")
  const after = newText === "" ? [] : newText.split("\n")
  const head = commonPrefix(before, after)
  const tail = commonPrefix(before.slice(head).reverse(), after.slice(head).reverse())
  const removed = before.slice(head, before.length - tail)
  const added = after.slice(head, after.length - tail)
  const pairs =
    removed.length === added.length ? removed.map((line, at) => markWords(line, added[at] ?? "")) : undefined
  return [
    ...before.slice(Math.max(0, head - 1), head).map((line) => plain(" ", line)),
    ...removed.map((line, at): ChangedLine => (pairs ? { sign: "-", runs: pairs[at]?.[0] ?? [] } : plain("-", line))),
    ...added.map((line, at): ChangedLine => (pairs ? { sign: "+", runs: pairs[at]?.[1] ?? [] } : plain("+", line))),
    ...before.slice(before.length - tail, before.length - tail + 1).map((line) => plain(" ", line)),
  ]
}

function plain(sign: ChangedLine["sign"], text: string): ChangedLine {
  return { sign, runs: [{ text, marked: false }] }
}

function commonPrefix<T>(a: readonly T[], b: readonly T[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count++
  return count
}

/** Returns two lines with the words between their common beginning and end marked. */
function markWords(before: string, after: string): [TextRun[], TextRun[]] {
  const words = (line: string) => line.match(/\w+|\s+|[^\w\s]/g) ?? []
  const [a, b] = [words(before), words(after)]
  const head = commonPrefix(a, b)
  const tail = commonPrefix(a.slice(head).reverse(), b.slice(head).reverse())
  return [runsOf(a, head, tail), runsOf(b, head, tail)]
}

function runsOf(words: string[], head: number, tail: number): TextRun[] {
  const end = words.length - tail
  const runs = [
    { text: words.slice(0, head).join(""), marked: false },
    { text: words.slice(head, end).join(""), marked: true },
    { text: words.slice(end).join(""), marked: false },
  ]
  return runs.filter(({ text }) => text !== "")
}
