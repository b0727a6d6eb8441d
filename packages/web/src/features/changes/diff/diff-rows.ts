import type { DiffHunk, DiffLine } from "@switchyard/core/files/worktrees/diff-schema"

/** A line of the diff. `ends` marks the last line of a file without a final newline. */
export interface ShownLine {
  type: "context" | "add" | "delete"
  text: string
  number: number
  ends: boolean
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
    }
  | { type: "pair"; left: ShownLine | null; right: ShownLine | null }

/** A hunk's lines one below the other, removals before additions. */
export function unifiedRows(hunks: DiffHunk[]): Row[] {
  return withHeads(hunks, (hunk) =>
    linesWithEnds(hunk.lines).map(({ line, ends }) => ({
      type: "line",
      kind: kindOf(line),
      old: line.old_line ?? null,
      new: line.new_line ?? null,
      text: line.content,
      ends,
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
    for (const { line, ends } of linesWithEnds(hunk.lines)) {
      const shown = (number = 0) => ({
        type: kindOf(line),
        text: line.content,
        number,
        ends,
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

/** The lines, each with git's remark on the line after it. */
function linesWithEnds(lines: DiffLine[]): { line: DiffLine; ends: boolean }[] {
  return lines.flatMap((line, at) =>
    line.type === "no_newline" ? [] : [{ line, ends: lines[at + 1]?.type === "no_newline" }],
  )
}

function kindOf({ type }: DiffLine): ShownLine["type"] {
  return type === "no_newline" ? "context" : type
}
