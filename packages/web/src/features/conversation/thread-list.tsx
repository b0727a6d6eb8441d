import { useMemo, useRef } from "react"
import { VList } from "virtua"
import type { Thread } from "../../session/stream/thread.ts"
import { UnreadButton } from "../../ui/unread-button.tsx"
import { useGrownAbove } from "../../ui/use-grown-above.ts"
import { useStickToBottom } from "../../ui/use-stick-to-bottom.ts"
import { ThreadRow } from "./thread-row.tsx"
import { useExpanded } from "./use-expanded.ts"

interface Props {
  /** Identifies the conversation. A different one starts at its own end. */
  subject: string
  label: string
  thread: Thread
  /** The moment shown; null when live. */
  moment: number | null
  isBusy: boolean
  onTop(): void
}

/** Earlier messages are loaded when the reader scrolls this close to the top. */
const NEAR_TOP_PX = 800

/** A conversation's rows, windowed. Follows its end unless the reader has scrolled away. */
export function ThreadList({ subject, label, thread, moment, isBusy, onTop }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const items = useMemo(() => thread.filter((item) => item.type !== "question" || item.answer !== null), [thread])
  const lastEnd = items.findLastIndex(({ type }) => type === "ended")
  const { isGrown, above } = useGrownAbove(items, seqOf)
  const { unread, toEnd } = useStickToBottom(frame, { count: items.length - above, subject, moment })
  const { isExpanded, toggle } = useExpanded()
  return (
    <div ref={frame} className="relative min-h-0 min-w-0">
      <VList
        data={items}
        shift={isGrown}
        onScroll={(offset) => offset < NEAR_TOP_PX && onTop()}
        role="log"
        aria-live="off"
        aria-label={label}
        tabIndex={0}
        className="py-2 -outline-offset-2"
      >
        {(item, at) => (
          <div key={item.seq} data-row={item.type} className={`mx-auto max-w-[820px] px-4 ${gaps[item.type]}`}>
            <ThreadRow item={item} isOver={!isBusy || at < lastEnd} isExpanded={isExpanded} onToggle={toggle} />
          </div>
        )}
      </VList>
      <UnreadButton count={unread} onGo={toEnd} />
    </div>
  )
}

const seqOf = ({ seq }: Thread[number]) => seq

const gaps = {
  told: "pt-3 pb-1.5",
  said: "py-1.5",
  thought: "py-0.5",
  tool: "py-1",
  question: "py-1",
  notice: "py-1",
  ended: "py-2.5",
} satisfies Record<Thread[number]["type"], string>
