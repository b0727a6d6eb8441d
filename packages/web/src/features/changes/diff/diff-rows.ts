import type { DiffHunk, DiffLine } from "@switchyard/core/files/worktrees/diff-schema"
import type { CommentedLine } from "../comments/comments.ts"
import { changedParts, type Part } from "./changed-part.ts"

/** A line of the diff. `ends` marks the last line of a file without a final newline, `changed` what differs in it. */
export interface ShownLine {
  type: "context" | "add" | "delete"
  text: string
  number: number
  ends: boolean
  changed?: Part | undefined
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
      changed?: Part | undefined
    }
  | { type: "pair"; left: ShownLine | null; right: ShownLine | null }

/** A hunk's lines one below the other, removals before additions. */
export function unifiedRows(hunks: DiffHunk[]): Row[] {
  return withHeads(hunks, (hunk) =>
    linesWithEnds(hunk.lines).map(({ line, ends, changed }) => ({
      type: "line",
      kind: kindOf(line),
      old: line.old_line ?? null,
      new: line.new_line ?? null,
      text: line.content,
      ends,
      changed,
    })),
  )
}

/** A hunk's lines side by side: removals on the left, and next to each the line that replaces it. */
export function splitRows(hunks: DiffHunk[]): Row[] {
  return withHeads(hunks, (hunk) => {
    const rows: Row[] = []
    let removed: ShownLine[] = []
    let added: ShownLine[] = []
    const flush = () => {
      for (let at = 0; at < Math.max(removed.length, added.length); at++) {
        rows.push({
          type: "pair",
          left: removed[at] ?? null,
          right: added[at] ?? null,
        })
      }
      removed = []
      added = []
    }
    for (const { line, ends, changed } of linesWithEnds(hunk.lines)) {
      const shown = (number = 0) => ({
        type: kindOf(line),
        text: line.content,
        number,
        ends,
        changed,
      })
      if (line.type === "delete") {
        if (added.length > 0) flush()
        removed.push(shown(line.old_line))
      } else if (line.type === "add") {
        added.push(shown(line.new_line))
      } else {
        flush()
        rows.push({
          type: "pair",
          left: shown(line.old_line),
          right: shown(line.new_line),
        })
      }
    }
    flush()
    return rows
  })
}

/** The lines of a row that can be commented on: what is there now, and what was removed. */
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

/** Whether a row shows a change. */
export function isChanged(row: Row): boolean {
  if (row.type === "line") return row.kind !== "context"
  return row.type === "pair" && (row.left?.type === "delete" || row.right?.type === "add")
}

/** The row at which each hunk begins. */
export function headsOf(rows: Row[]): number[] {
  return rows.flatMap((row, at) => (row.type === "hunk" ? [at] : []))
}

function withHeads(hunks: DiffHunk[], rowsOf: (hunk: DiffHunk) => Row[]): Row[] {
  return hunks.flatMap((hunk, at) => {
    const before = hunks[at - 1]
    // A hunk without lines on one side comes after the line that it names, not at it.
    const start = hunk.old_count === 0 ? hunk.old_start + 1 : hunk.old_start
    const end = before ? (before.old_count === 0 ? before.old_start + 1 : before.old_start + before.old_count) : 1
    const skipped = Math.max(0, start - end)
    return [{ type: "hunk", skipped, section: hunk.section, hunk: at } as const, ...rowsOf(hunk)]
  })
}

interface Line {
  line: DiffLine
  ends: boolean
  changed: Part | undefined
}

/** The lines, each with git's remark on the line after it, and with what differs from the line in whose place it stands. */
function linesWithEnds(lines: DiffLine[]): Line[] {
  const shown = lines.flatMap((line, at): Line[] =>
    line.type === "no_newline" ? [] : [{ line, ends: lines[at + 1]?.type === "no_newline", changed: undefined }],
  )
  for (let at = 0; at < shown.length; ) {
    const removed = lengthOf(shown, at, "delete")
    const added = lengthOf(shown, at + removed, "add")
    // Only a block of as many lines as before is one of lines that were changed.
    if (removed === added) for (let line = at; line < at + removed; line++) mark(shown[line], shown[line + removed])
    at += Math.max(1, removed + added)
  }
  return shown
}

/** The number of lines of a type in a row. */
function lengthOf(lines: Line[], from: number, type: DiffLine["type"]): number {
  let to = from
  while (lines[to]?.line.type === type) to++
  return to - from
}

function mark(removed: Line | undefined, added: Line | undefined): void {
  const parts = removed && added && changedParts(removed.line.content, added.line.content)
  if (!parts) return
  removed.changed = parts.before
  added.changed = parts.after
}

function kindOf({ type }: DiffLine): ShownLine["type"] {
  return type === "no_newline" ? "context" : type
}
