/** A part of a line, with an exclusive end. */
export type Part = readonly [from: number, to: number]

/**
 * If less than this part of a line is unchanged, it counts as a different line. Marking nearly all of it wouldn't help.
 */
const LEAST_SAME = 0.3
/** Least part in common for lines of blocks with different numbers of lines, which aren't paired by their place. */
const LEAST_ALIKE = 0.6
/** Longer lines are usually from bundles. */
const MOST_LETTERS = 2000
/** Maximum number of comparisons of words in two lines, and of lines in two blocks. */
const MOST_WORDS = 10_000
const MOST_PAIRS = 400
const WORDS = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu

interface Comparison {
  before: Part[]
  after: Part[]
  /** Unchanged share of the shorter line, without spaces. */
  same: number
}

/** Returns the parts in which a line and its replacement differ, in whole words; null if they have little in common. */
export function changedParts(before: string, after: string): Comparison | null {
  if (Math.max(before.length, after.length) > MOST_LETTERS || before === after) return null
  const [a, b] = [before.match(WORDS) ?? [], after.match(WORDS) ?? []]
  const [keptA, keptB] = commonWords(a, b)
  const shortest = Math.min(lengthWithoutSpaces(a), lengthWithoutSpaces(b))
  const same = shortest === 0 ? 0 : lengthWithoutSpaces(a.filter((_, at) => keptA[at])) / shortest
  return same < LEAST_SAME ? null : { before: partsOf(a, keptA), after: partsOf(b, keptB), same }
}

function lengthWithoutSpaces(words: string[]): number {
  return words.reduce((sum, word) => sum + word.trim().length, 0)
}

/** Marks the words of a longest common subsequence. In long lines, only the common beginning and end. */
function commonWords(a: string[], b: string[]): [boolean[], boolean[]] {
  const kept: [boolean[], boolean[]] = [a.map(() => false), b.map(() => false)]
  const keep = (i: number, j: number) => {
    kept[0][i] = true
    kept[1][j] = true
  }
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) keep(start, start++)
  let [endA, endB] = [a.length, b.length]
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) keep(--endA, --endB)
  const [rows, columns] = [endA - start, endB - start]
  if (rows * columns > MOST_WORDS) return kept
  // Cell (i, j): length of the longest common subsequence from there to the end.
  const lengths = new Uint16Array((rows + 1) * (columns + 1))
  const cell = (i: number, j: number) => i * (columns + 1) + j
  const isSame = (i: number, j: number) => a[start + i] === b[start + j]
  const length = (i: number, j: number) => lengths[cell(i, j)] ?? 0
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      lengths[cell(i, j)] = isSame(i, j) ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1))
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    if (isSame(i, j)) keep(start + i++, start + j++)
    else if (length(i + 1, j) >= length(i, j + 1)) i++
    else j++
  }
  return kept
}

/** Returns the parts of the words that aren't kept. A kept space between two of them is part of the change. */
function partsOf(words: string[], kept: boolean[]): Part[] {
  const parts: [number, number][] = []
  let at = 0
  for (const [index, word] of words.entries()) {
    const isBetween = word.trim() === "" && index > 0 && kept[index - 1] === false && kept[index + 1] === false
    const last = parts.at(-1)
    if (!kept[index] || isBetween) {
      if (last?.[1] === at) last[1] = at + word.length
      else parts.push([at, at + word.length])
    }
    at += word.length
  }
  return parts
}

interface ChangeableLine {
  type: "context" | "add" | "delete"
  text: string
  changed?: Part[] | undefined
}

/** Looks of a diff's lines, by their type. */
export const lineLooks = {
  context: { tone: "", sign: " ", signTone: "", mark: "" },
  add: { tone: "bg-add-bg", sign: "+", signTone: "text-ok", mark: "bg-add-mark" },
  delete: { tone: "bg-del-bg", sign: "−", signTone: "text-err", mark: "bg-del-mark" },
} satisfies Record<ChangeableLine["type"], object>

/** Marks what differs between each replaced line and its replacement. */
export function markChanges(lines: ChangeableLine[]): void {
  for (let at = 0; at < lines.length; ) {
    const removed = lengthOf(lines, at, "delete")
    const added = lengthOf(lines, at + removed, "add")
    const after = at + removed
    if (removed === added) for (let line = at; line < after; line++) mark(lines[line], lines[line + removed])
    else if (removed * added <= MOST_PAIRS) markAlike(lines.slice(at, after), lines.slice(after, after + added))
    at += Math.max(1, removed + added)
  }
}

/** Returns the number of consecutive lines of a type. */
function lengthOf(lines: ChangeableLine[], from: number, type: ChangeableLine["type"]): number {
  let to = from
  while (lines[to]?.type === type) to++
  return to - from
}

/** Pairs each removed line with the most similar added one, in order. */
function markAlike(removed: ChangeableLine[], added: ChangeableLine[]): void {
  let from = 0
  for (const line of removed) {
    const alike = added.slice(from).map(({ text }) => changedParts(line.text, text)?.same ?? 0)
    const most = Math.max(0, ...alike)
    if (most < LEAST_ALIKE) continue
    const at = from + alike.indexOf(most)
    mark(line, added[at])
    from = at + 1
  }
}

function mark(removed: ChangeableLine | undefined, added: ChangeableLine | undefined): void {
  const parts = removed && added && changedParts(removed.text, added.text)
  if (!parts) return
  removed.changed = parts.before
  added.changed = parts.after
}
