import { clsx } from "clsx"
import { useContext } from "react"
import { lineLooks } from "../../../ui/changed-part.ts"
import { CodeText, type Span } from "../../../ui/code-text.tsx"
import type { CommentedLine } from "../comments/comments.ts"
import { LineComments } from "../comments/line-comments.tsx"
import { ShownComments } from "../comments/use-comments.ts"
import type { DiffColors } from "./diff-colors.ts"
import { commentable, type Row, type ShownLine } from "./diff-rows.ts"

/** Only this much of a line is drawn, because bundles have lines that are too long for a browser. */
const MOST_LETTERS = 2000

interface Props {
  row: Row
  path: string
  colors: DiffColors
}

/** A line of a diff, two lines side by side, or the head of a hunk, with its comments. */
export function DiffRow({ row, path, colors }: Props) {
  if (row.type === "hunk") return <HunkHead row={row} />
  const lines = commentable(row, path)
  const [left = null, right = null] = lines
  if (row.type === "pair") {
    return (
      <div>
        <div className="grid grid-cols-2">
          <DiffSide
            line={row.left}
            side="left"
            commented={row.left?.type === "delete" ? left : null}
            spans={colors("old", row.left?.number ?? null)}
          />
          <DiffSide
            line={row.right}
            side="right"
            commented={row.left?.type === "delete" ? right : left}
            spans={colors("new", row.right?.number ?? null)}
          />
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
        <Text
          kind={row.kind}
          text={row.text}
          ends={row.ends}
          changed={row.changed}
          spans={row.kind === "delete" ? colors("old", row.old) : colors("new", row.new)}
        />
      </div>
      {left && <LineComments line={left} />}
    </div>
  )
}

interface DiffSideProps {
  line: ShownLine | null
  side: "left" | "right"
  commented: CommentedLine | null
  spans: TextProps["spans"]
}

function DiffSide({ line, side, commented, spans }: DiffSideProps) {
  const edge = side === "right" && "border-l border-line"
  if (!line) return <div className={clsx("bg-well", edge)} />
  return (
    <div className={clsx("group flex min-w-0", lineLooks[line.type].tone, edge)}>
      <LineNumber value={line.number} commented={commented} />
      <Sign kind={line.type} />
      <Text kind={line.type} text={line.text} ends={line.ends} changed={line.changed} spans={spans} />
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
  if (!commented || !begin) return <span className={room}>{value}</span>
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
  spans: readonly Span[] | undefined
}

function Text({ kind, text, ends, changed, spans }: TextProps) {
  const shown = text.length > MOST_LETTERS ? text.slice(0, MOST_LETTERS) : text
  const left = text.length - shown.length
  const visible = shown.replace(/\r$/, "␍")
  return (
    <span className="min-w-0 flex-1 pr-2 whitespace-pre-wrap [overflow-wrap:anywhere] [tab-size:4]">
      <CodeText text={visible} changed={changed} spans={spans} mark={lineLooks[kind].mark} />
      {left > 0 && <em className="text-ink-3"> … {left.toLocaleString()} more characters</em>}
      {ends && <em className="text-ink-3 select-none"> no newline at end of file</em>}
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
