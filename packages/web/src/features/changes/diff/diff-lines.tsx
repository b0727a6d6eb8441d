import type { DiffHunk } from "@switchyard/core/files/worktrees/diff-schema"
import { type RefObject, useContext, useImperativeHandle, useMemo, useRef } from "react"
import { VList, type VListHandle } from "virtua"
import { useLineColors } from "../../files/editor/use-line-colors.ts"
import { isOnLine } from "../comments/comments.ts"
import { ShownComments } from "../comments/use-comments.ts"
import { createDiffColors } from "./diff-colors.ts"
import { DiffRow } from "./diff-row.tsx"
import { commentable, headsOf, isChanged, splitRows, unifiedRows } from "./diff-rows.ts"

export interface LinesHandle {
  step(by: 1 | -1): void
  /** Begins a comment on the first changed line in view, or on the one after the line currently being commented on. */
  comment(): void
}

interface Props {
  handle: RefObject<LinesHandle | null>
  hunks: DiffHunk[]
  split: boolean
  path: string
}

const ROW_PX = 20

/** The lines in a file's hunks. Only visible ones are rendered. */
export function DiffLines({ handle, hunks, split, path }: Props) {
  const list = useRef<VListHandle>(null)
  const rows = useMemo(() => (split ? splitRows(hunks) : unifiedRows(hunks)), [hunks, split])
  const digits = useMemo(() => digitsOf(hunks), [hunks])
  const lineColors = useLineColors(path)
  const colors = useMemo(() => createDiffColors(hunks, lineColors), [hunks, lineColors])
  const { draft, begin } = useContext(ShownComments)
  useImperativeHandle(handle, () => ({
    comment: () => {
      const from = list.current?.findItemIndex(list.current.scrollOffset + 1) ?? 0
      const lines = rows.flatMap((row, at) =>
        commentable(row, path).map((line) => ({ line, at, isChanged: isChanged(row) })),
      )
      const last = draft ? lines.findLastIndex(({ line }) => isOnLine(draft, line)) : -1
      const next = last >= 0 ? lines[last + 1] : lines.find(({ at, isChanged }) => isChanged && at >= from)
      if (!next || !begin) return
      begin(next.line)
      list.current?.scrollToIndex(next.at, { align: "nearest" })
    },
    step: (by) => {
      const shown = list.current
      if (!shown) return
      const heads = headsOf(rows)
      const at = shown.findItemIndex(shown.scrollOffset + 1)
      const next = by === 1 ? heads.find((head) => head > at) : heads.findLast((head) => head < at)
      if (next !== undefined) shown.scrollToIndex(next)
    },
  }))
  return (
    <VList
      ref={list}
      data={rows}
      itemSize={ROW_PX}
      bufferSize={100}
      tabIndex={0}
      role="region"
      aria-label={`Diff of ${path}`}
      className="bg-sheet font-mono text-xs leading-5 -outline-offset-2"
      style={{ "--digits": `${digits}ch` } as React.CSSProperties}
    >
      {(row, at) => <DiffRow key={at.toString()} row={row} path={path} colors={colors} />}
    </VList>
  )
}

/** Returns the number of digits in the largest line number. */
function digitsOf(hunks: DiffHunk[]): number {
  const last = hunks.at(-1)
  const most = last ? Math.max(last.old_start + last.old_count, last.new_start + last.new_count) : 1
  return Math.max(2, String(most).length)
}
