import type { DiffHunk, DiffLine } from "../worktrees/diff-schema.ts"

/** Lines of one text and the lines of the other text that replace them. Ends are exclusive. */
interface Region {
  oldFrom: number
  oldTo: number
  newFrom: number
  newTo: number
}

const CONTEXT = 3

/**
 * Maximum number of changed lines that are matched individually. If there are more, everything in between counts as
 * changed.
 */
const MAX_EDITS = 1500

/**
 * Returns the hunks of a diff between two texts in the way that git shows them. Time and memory are limited: texts with
 * very many changes result in one large hunk.
 */
export function diffTexts(before: string, after: string): DiffHunk[] {
  const [old, now] = [linesOf(before), linesOf(after)]
  return groupsOf(regionsOf(old, now)).map((regions) => hunkOf(regions, old, now))
}

/** Splits a text into lines, including their line ends. */
function linesOf(text: string): string[] {
  const lines: string[] = []
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from)
    const to = end < 0 ? text.length : end + 1
    lines.push(text.slice(from, to))
    from = to
  }
  return lines
}

function regionsOf(old: string[], now: string[]): Region[] {
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let [oldEnd, newEnd] = [old.length, now.length]
  while (oldEnd > start && newEnd > start && old[oldEnd - 1] === now[newEnd - 1])
    [oldEnd, newEnd] = [oldEnd - 1, newEnd - 1]
  if (oldEnd === start && newEnd === start) return []
  const matches = matchesOf(old.slice(start, oldEnd), now.slice(start, newEnd))
  const regions: Region[] = []
  let [x, y] = [start, start]
  for (const [a, b] of [...matches, [oldEnd - start, newEnd - start] as const]) {
    if (a + start > x || b + start > y) regions.push({ oldFrom: x, oldTo: a + start, newFrom: y, newTo: b + start })
    ;[x, y] = [a + start + 1, b + start + 1]
  }
  return regions
}

/**
 * Returns the pairs of equal lines on a shortest edit path, in order (Myers, "An O(ND) Difference Algorithm", 1986).
 * Empty if the path has more than `MAX_EDITS` edits.
 */
function matchesOf(old: string[], now: string[]): [number, number][] {
  const most = Math.min(old.length + now.length, MAX_EDITS)
  const furthest = new Int32Array(2 * most + 3)
  const at = (k: number) => furthest[k + most + 1] ?? 0
  const trace: Int32Array[] = []
  for (let edits = 0; edits <= most; edits++) {
    for (let k = -edits; k <= edits; k += 2) {
      let x = k === -edits || (k !== edits && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1
      while (x < old.length && x - k < now.length && old[x] === now[x - k]) x++
      furthest[k + most + 1] = x
      if (x >= old.length && x - k >= now.length) return walkBack(trace, old.length, now.length)
    }
    // Only these entries are read in the next step.
    trace.push(furthest.slice(most + 1 - edits, most + 2 + edits))
  }
  return []
}

function walkBack(trace: Int32Array[], oldLength: number, newLength: number): [number, number][] {
  const matches: [number, number][] = []
  let [x, y] = [oldLength, newLength]
  for (let edits = trace.length; edits >= 0; edits--) {
    const before = trace[edits - 1]
    const at = (k: number) => before?.[k + edits - 1] ?? -1
    const k = x - y
    const isInsertion = k === -edits || (k !== edits && at(k - 1) < at(k + 1))
    const fromK = isInsertion ? k + 1 : k - 1
    const fromX = edits === 0 ? 0 : at(fromK)
    const end = edits === 0 ? 0 : isInsertion ? fromX : fromX + 1
    while (x > end) matches.push([--x, --y])
    ;[x, y] = [fromX, fromX - fromK]
  }
  return matches.reverse()
}

/** Groups regions whose context would touch. */
function groupsOf(regions: Region[]): Region[][] {
  const groups: Region[][] = []
  for (const region of regions) {
    const last = groups.at(-1)?.at(-1)
    if (last && region.oldFrom - last.oldTo <= 2 * CONTEXT) groups.at(-1)?.push(region)
    else groups.push([region])
  }
  return groups
}

function hunkOf(regions: Region[], old: string[], now: string[]): DiffHunk {
  const first = regions[0] as Region
  const last = regions.at(-1) as Region
  const before = Math.min(CONTEXT, first.oldFrom)
  const after = Math.min(CONTEXT, old.length - last.oldTo)
  const lines: DiffLine[] = []
  let [oldLine, newLine] = [first.oldFrom - before, first.newFrom - before]
  const add = (line: string | undefined, entry: Omit<DiffLine, "content">) => {
    if (line === undefined) return
    const ended = line.endsWith("\n")
    lines.push({ ...entry, content: ended ? line.slice(0, -1) : line })
    if (!ended) lines.push({ type: "no_newline", content: "No newline at end of file" })
  }
  const context = (to: number) => {
    for (; oldLine < to; ) add(old[oldLine], { type: "context", old_line: ++oldLine, new_line: ++newLine })
  }
  for (const { oldFrom, oldTo, newTo } of regions) {
    context(oldFrom)
    while (oldLine < oldTo) add(old[oldLine], { type: "delete", old_line: ++oldLine })
    while (newLine < newTo) add(now[newLine], { type: "add", new_line: ++newLine })
  }
  context(last.oldTo + after)
  const [oldCount, newCount] = [
    last.oldTo + after - first.oldFrom + before,
    last.newTo + after - first.newFrom + before,
  ]
  return {
    old_start: first.oldFrom - before + (oldCount > 0 ? 1 : 0),
    old_count: oldCount,
    new_start: first.newFrom - before + (newCount > 0 ? 1 : 0),
    new_count: newCount,
    section: "",
    lines,
  }
}
