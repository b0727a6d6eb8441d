/** A part of a line, with an exclusive end. */
export type Part = readonly [from: number, to: number]

/**
 * If less than this part of a line is unchanged, it counts as a different line. Marking nearly all of it wouldn't help.
 */
const LEAST_SAME = 0.3
/** Longer lines are usually from bundles. */
const MOST_LETTERS = 2000
const WORD = /[\p{L}\p{N}_]/u

/** Returns the parts in which a line and its replacement differ, in whole words; null if they have little in common. */
export function changedParts(before: string, after: string): { before: Part; after: Part } | null {
  const shortest = Math.min(before.length, after.length)
  if (shortest === 0 || Math.max(before.length, after.length) > MOST_LETTERS || before === after) return null
  let start = 0
  while (start < shortest && before[start] === after[start]) start++
  let end = 0
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end++
  while (start > 0 && (isInWord(before, start) || isInWord(after, start))) start--
  while (end > 0 && (isInWord(before, before.length - end) || isInWord(after, after.length - end))) end--
  const same = before.slice(0, start).trim().length + before.slice(before.length - end).trim().length
  if (same < LEAST_SAME * Math.min(before.trim().length, after.trim().length)) return null
  return { before: [start, before.length - end], after: [start, after.length - end] }
}

interface ChangeableLine {
  type: "context" | "add" | "delete"
  text: string
  changed?: Part | undefined
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
    // Lines count as changed only if a block is replaced by one with the same number of lines.
    if (removed === added) for (let line = at; line < at + removed; line++) mark(lines[line], lines[line + removed])
    at += Math.max(1, removed + added)
  }
}

/** Returns the number of consecutive lines of a type. */
function lengthOf(lines: ChangeableLine[], from: number, type: ChangeableLine["type"]): number {
  let to = from
  while (lines[to]?.type === type) to++
  return to - from
}

function mark(removed: ChangeableLine | undefined, added: ChangeableLine | undefined): void {
  const parts = removed && added && changedParts(removed.text, added.text)
  if (!parts) return
  removed.changed = parts.before
  added.changed = parts.after
}

/** Returns true if the position is between two letters of a word. */
function isInWord(text: string, at: number): boolean {
  return WORD.test(text[at - 1] ?? "") && WORD.test(text[at] ?? "")
}
