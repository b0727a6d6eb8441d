import type { DiffHunk } from "@switchyard/core/files/worktrees/diff-schema"
import { markChanges, type Part } from "../../../ui/changed-part.ts"
import type { CommentedLine } from "../comments/comments.ts"

/**
 * A line of the diff. `ends` marks the last line of a file without a final newline; `changed` are the parts that differ.
 */
export interface ShownLine {
  type: "context" | "add" | "delete"
  text: string
  number: number
  ends: boolean
  changed?: Part[] | undefined
}

export type Row =
  | { type: "hunk"; skipped: number; section: string; hunk: number }
  | {
      type: "line"
      kind: ShownLine["type"]
      old: number | null
      new: number | null
      text: string
      ends: boolean
      changed?: Part[] | undefined
    }
  | { type: "pair"; left: ShownLine | null; right: ShownLine | null }

/** Returns hunks as lines one below the other, removals before additions. */
export function unifiedRows(hunks: DiffHunk[]): Row[] {
  return withHeads(hunks, (hunk) =>
    linesOf(hunk).map(({ type: kind, oldLine, newLine, ...line }) => ({
      type: "line",
      kind,
      old: oldLine ?? null,
      new: newLine ?? null,
      ...line,
    })),
  )
}

/** Returns hunks as lines side by side: removals on the left, each next to the line that replaces it. */
export function splitRows(hunks: DiffHunk[]): Row[] {
  return withHeads(hunks, (hunk) => {
    const rows: Row[] = []
    let removed: ShownLine[] = []
    let added: ShownLine[] = []
    const flush = () => {
      for (let at = 0; at < Math.max(removed.length, added.length); at++) {
        rows.push({ type: "pair", left: removed[at] ?? null, right: added[at] ?? null })
      }
      removed = []
      added = []
    }
    for (const { oldLine, newLine, ...line } of linesOf(hunk)) {
      const shown = (number = 0) => ({ ...line, number })
      if (line.type === "delete") {
        if (added.length > 0) flush()
        removed.push(shown(oldLine))
      } else if (line.type === "add") {
        added.push(shown(newLine))
      } else {
        flush()
        rows.push({ type: "pair", left: shown(oldLine), right: shown(newLine) })
      }
    }
    flush()
    return rows
  })
}

/** Returns the lines in a row that can be commented on: the current one and the removed one. */
export function commentable(row: Row, path: string): CommentedLine[] {
  if (row.type === "hunk") return []
  if (row.type === "line") {
    const { kind, old, new: now, text } = row
    if (kind === "delete") return old === null ? [] : [{ path, side: "old", line: old, code: text }]
    return now === null ? [] : [{ path, side: "new", line: now, code: text }]
  }
  const { left, right } = row
  const removed = left?.type === "delete" ? [{ path, side: "old" as const, line: left.number, code: left.text }] : []
  return right ? [...removed, { path, side: "new", line: right.number, code: right.text }] : removed
}

export function isChanged(row: Row): boolean {
  if (row.type === "line") return row.kind !== "context"
  return row.type === "pair" && (row.left?.type === "delete" || row.right?.type === "add")
}

/** Returns the rows at which the hunks begin. */
export function headsOf(rows: Row[]): number[] {
  return rows.flatMap((row, at) => (row.type === "hunk" ? [at] : []))
}

function withHeads(hunks: DiffHunk[], rowsOf: (hunk: DiffHunk) => Row[]): Row[] {
  return hunks.flatMap((hunk, at) => {
    const before = hunks[at - 1]
    // If a hunk has no lines on one side, git's start number means the line before it.
    const start = hunk.old_count === 0 ? hunk.old_start + 1 : hunk.old_start
    const end = before ? (before.old_count === 0 ? before.old_start + 1 : before.old_start + before.old_count) : 1
    const skipped = Math.max(0, start - end)
    return [{ type: "hunk", skipped, section: hunk.section, hunk: at } as const, ...rowsOf(hunk)]
  })
}

interface Line extends Omit<ShownLine, "number"> {
  oldLine: number | undefined
  newLine: number | undefined
}

/**
 * Returns the lines, each with git's remark on the following line, and the parts that differ from the line that it
 * replaces.
 */
function linesOf({ lines }: DiffHunk): Line[] {
  const shown = lines.flatMap(({ type, content: text, old_line: oldLine, new_line: newLine }, at): Line[] => {
    const ends = lines[at + 1]?.type === "no_newline"
    return type === "no_newline" ? [] : [{ type, text, ends, oldLine, newLine }]
  })
  markChanges(shown)
  return shown
}
