import type { DiffHunk } from "@switchyard/core/files/worktrees/diff-schema"
import { showBidiControls } from "@switchyard/core/text/bidi-controls"
import { clsx } from "clsx"
import { type RefObject, useContext, useImperativeHandle, useMemo, useRef } from "react"
import { VList, type VListHandle } from "virtua"
import { lineLooks } from "../../../ui/changed-part.ts"
import { type CommentedLine, isOnLine } from "../comments/comments.ts"
import { LineComments } from "../comments/line-comments.tsx"
import { ShownComments } from "../comments/use-comments.ts"
import { commentable, headsOf, isChanged, type Row, type ShownLine, splitRows, unifiedRows } from "./diff-rows.ts"

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

/** Only this much of a line is drawn, because bundles have lines that are too long for a browser. */
const MOST_LETTERS = 2000
const ROW_PX = 20

/** The lines in a file's hunks. Only visible ones are rendered. */
export function DiffLines({ handle, hunks, split, path }: Props) {
  const list = useRef<VListHandle>(null)
  const rows = useMemo(() => (split ? splitRows(hunks) : unifiedRows(hunks)), [hunks, split])
  const digits = useMemo(() => digitsOf(hunks), [hunks])
  const { draft, begin } = useContext(ShownComments)
  useImperativeHandle(handle, () => ({
    comment: () => {
      const from = list.current?.findItemIndex(list.current.scrollOffset + 1) ?? 0
      const lines = rows.flatMap((row, at) =>
        commentable(row, path).map((line) => ({ line, at, isChanged: isChanged(row) })),
      )
      const last = draft ? lines.findLastIndex(({ line }) => isOnLine(draft, line)) : -1
      const next = last >= 0 ? lines[last + 1] : lines.find(({ at, isChanged }) => isChanged && at >= from)
      if (!next) return
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
      aria-label={`Lines of ${path}`}
      className="bg-sheet font-mono text-xs leading-5 -outline-offset-2"
      style={{ "--digits": `${digits}ch` } as React.CSSProperties}
    >
      {(row, at) => <RowOf key={at.toString()} row={row} path={path} />}
    </VList>
  )
}

function RowOf({ row, path }: { row: Row; path: string }) {
  if (row.type === "hunk") return <HunkHead row={row} />
  const lines = commentable(row, path)
  const [left = null, right = null] = lines
  if (row.type === "pair") {
    return (
      <div>
        <div className="grid grid-cols-2">
          <DiffSide line={row.left} side="left" commented={row.left?.type === "delete" ? left : null} />
          <DiffSide line={row.right} side="right" commented={row.left?.type === "delete" ? right : left} />
        </div>
        {lines.map((line) => (
          <LineComments key={line.side} line={line} />
        ))}
      </div>
    )
  }
  return (
    <div>
      <div className={clsx("group flex", lineLooks[row.kind].tone)}>
        <LineNumber value={row.old} commented={row.kind === "delete" ? left : null} />
        <LineNumber value={row.new} commented={row.kind === "delete" ? null : left} />
        <Sign kind={row.kind} />
        <Text kind={row.kind} text={row.text} ends={row.ends} changed={row.changed} />
      </div>
      {left && <LineComments line={left} />}
    </div>
  )
}

interface DiffSideProps {
  line: ShownLine | null
  side: "left" | "right"
  commented: CommentedLine | null
}

function DiffSide({ line, side, commented }: DiffSideProps) {
  const edge = side === "right" && "border-l border-line"
  if (!line) return <div className={clsx("bg-well", edge)} />
  return (
    <div className={clsx("group flex min-w-0", lineLooks[line.type].tone, edge)}>
      <LineNumber value={line.number} commented={commented} />
      <Sign kind={line.type} />
      <Text kind={line.type} text={line.text} ends={line.ends} changed={line.changed} />
    </div>
  )
}

/**
 * A line number, which begins a comment on that line when clicked. The keyboard shortcut is `c`, because there are too
 * many lines to tab through.
 */
function LineNumber({ value, commented }: { value: number | null; commented: CommentedLine | null }) {
  const { begin } = useContext(ShownComments)
  const room = "box-content w-(--digits) shrink-0 px-1.5 text-right text-ink-3 select-none nums max-md:px-1"
  if (!commented) return <span className={room}>{value}</span>
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={`Comment on ${commented.side === "old" ? "removed line" : "line"} ${value}`}
      onClick={() => begin(commented)}
      className={clsx(room, "cursor-pointer hover:bg-accent-bg hover:text-ink")}
    >
      {value}
    </button>
  )
}

function Sign({ kind }: { kind: ShownLine["type"] }) {
  const { sign, signTone } = lineLooks[kind]
  return <span className={clsx("w-4 shrink-0 text-center select-none", signTone)}>{sign}</span>
}

interface TextProps extends Pick<ShownLine, "text" | "ends" | "changed"> {
  kind: ShownLine["type"]
}

function Text({ kind, text, ends, changed }: TextProps) {
  const shown = text.length > MOST_LETTERS ? text.slice(0, MOST_LETTERS) : text
  const left = text.length - shown.length
  const [from, to] = changed ?? [0, 0]
  const visible = shown.replace(/\r$/, "␍")
  return (
    <span className="min-w-0 flex-1 pr-2 whitespace-pre-wrap [overflow-wrap:anywhere] [tab-size:4]">
      {showBidiControls(visible.slice(0, from))}
      {to > from && (
        <mark className={clsx("rounded-xs text-ink", lineLooks[kind].mark)}>
          {showBidiControls(visible.slice(from, to))}
        </mark>
      )}
      {showBidiControls(visible.slice(to))}
      {left > 0 && <em className="text-ink-3"> … {left.toLocaleString()} more characters</em>}
      {ends && <em className="text-ink-3 select-none"> no newline at the end</em>}
    </span>
  )
}

function HunkHead({ row }: { row: Extract<Row, { type: "hunk" }> }) {
  const skipped =
    row.skipped === 0 ? "" : `··· ${row.skipped.toLocaleString()} unchanged ${row.skipped === 1 ? "line" : "lines"}`
  return (
    <div className="truncate border-y border-line bg-well px-3 py-0.5 text-ink-3">
      {[skipped, row.section].filter(Boolean).join("  ") || (row.hunk === 0 ? "Start of file" : "···")}
    </div>
  )
}

/** Returns the number of digits in the largest line number. */
function digitsOf(hunks: DiffHunk[]): number {
  const last = hunks.at(-1)
  const most = last ? Math.max(last.old_start + last.old_count, last.new_start + last.new_count) : 1
  return Math.max(2, String(most).length)
}
