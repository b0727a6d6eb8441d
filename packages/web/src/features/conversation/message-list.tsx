import { type ReactNode, useEffect, useMemo, useRef } from "react"
import { VList } from "virtua"
import { UnreadButton } from "../../ui/unread-button.tsx"
import type { GrownAbove } from "../../ui/use-grown-above.ts"
import { useStickToBottom } from "../../ui/use-stick-to-bottom.ts"
import { type Expansion, useExpanded } from "./use-expanded.ts"

interface Props<Row> {
  /** Identifies the conversation. A different one starts at its own end. */
  subject: string
  label: string
  /** The same array until a row changes. */
  rows: readonly Row[]
  keyOf(row: Row): string | number
  /** Rows loaded above the others, if earlier ones can be loaded. */
  grown?: GrownAbove
  /** The moment shown; null when live. */
  moment: number | null
  /** True while a message is being sent. Its sender wants to see it, wherever they were reading before. */
  isSending?: boolean
  /** Called when the reader scrolls close to the top. */
  onTop?(): void
  /** Class of all rows, such as their width. */
  column: string
  /** Class for the space around a row. */
  gapOf?(row: Row): string
  /** Shown above the first row. */
  header?: ReactNode
  /** Shown below the last row. */
  footer?: ReactNode
  /** Shown if there are no rows. */
  empty: ReactNode
  /** Renders a row. */
  children(row: Row, expansion: Expansion, at: number): ReactNode
}

/** Earlier messages are loaded when the reader scrolls this close to the top. */
const NEAR_TOP_PX = 800

const HEADER = Symbol("header")
const FOOTER = Symbol("footer")

/** The messages of any conversation, windowed. Follows its end unless the reader has scrolled away. */
export function MessageList<Row extends object>(props: Props<Row>) {
  const { subject, label, rows, keyOf, moment, isSending, onTop, column, gapOf, header, footer, children } = props
  const { isGrown, above } = props.grown ?? { isGrown: false, above: 0 }
  const frame = useRef<HTMLDivElement>(null)
  const { unread, toEnd } = useStickToBottom(frame, { count: rows.length - above, subject, moment })
  const expansion = useExpanded()
  const [hasHeader, hasFooter] = [Boolean(header), Boolean(footer)]
  const listed = useMemo(
    () => (hasHeader || hasFooter ? [...(hasHeader ? [HEADER] : []), ...rows, ...(hasFooter ? [FOOTER] : [])] : rows),
    [rows, hasHeader, hasFooter],
  )
  useEffect(() => {
    if (isSending) toEnd()
  }, [isSending, toEnd])
  return (
    <div ref={frame} className="relative min-h-0 min-w-0">
      {listed.length === 0 ? (
        props.empty
      ) : (
        <VList
          data={listed}
          shift={isGrown}
          onScroll={(offset) => offset < NEAR_TOP_PX && onTop?.()}
          role="log"
          aria-live="off"
          aria-label={label}
          tabIndex={0}
          className="py-2 -outline-offset-2"
        >
          {(row, at) =>
            typeof row === "symbol" ? (
              <div key={row.description} className={`${column} py-1.5`}>
                {row === HEADER ? header : footer}
              </div>
            ) : (
              <div key={keyOf(row)} data-row={keyOf(row)} className={`${column} ${gapOf?.(row) ?? "py-1.5"}`}>
                {children(row, expansion, hasHeader ? at - 1 : at)}
              </div>
            )
          }
        </VList>
      )}
      <UnreadButton count={unread} onGo={toEnd} />
    </div>
  )
}
