import type { DiffHunk } from "@switchyard/core/files/worktrees/diff-schema"
import type { Span } from "../../../ui/code-text.tsx"
import type { LineColors } from "../../files/editor/line-colors.ts"

type Side = "old" | "new"

/** Returns the syntax colours of a line. */
export type DiffColors = (side: Side, line: number | null) => readonly Span[] | undefined

/** Colours the lines of a diff. Each hunk is parsed when the first of its lines is drawn. */
export function createDiffColors(hunks: readonly DiffHunk[], colors: LineColors | null): DiffColors {
  const known = new Map<string, ReadonlyMap<number, readonly Span[]>>()
  const numberOf = { old: "old_line", new: "new_line" } as const
  const startOf = { old: "old_start", new: "new_start" } as const

  function read(side: Side, hunk: DiffHunk): ReadonlyMap<number, readonly Span[]> {
    const lines = hunk.lines.flatMap(({ content, [numberOf[side]]: number }) =>
      number === undefined ? [] : [{ content, number }],
    )
    const spans = colors?.(lines.map(({ content }) => content)) ?? []
    return new Map(lines.map(({ number }, at) => [number, spans[at] ?? []]))
  }

  return (side, line) => {
    if (colors === null || line === null) return undefined
    const at = hunks.findLastIndex((hunk) => hunk[startOf[side]] <= line)
    const hunk = hunks[at]
    if (!hunk) return undefined
    const key = `${side} ${at}`
    const ofHunk = known.get(key) ?? read(side, hunk)
    known.set(key, ofHunk)
    return ofHunk.get(line)
  }
}
