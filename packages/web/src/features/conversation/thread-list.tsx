import { useMemo } from "react"
import type { Thread } from "../../session/stream/thread.ts"
import { StatusIcon } from "../../ui/icons.tsx"
import { useGrownAbove } from "../../ui/use-grown-above.ts"
import { MessageList } from "./message-list.tsx"
import { ThreadRow } from "./thread-row.tsx"

interface Props {
  /** Identifies the conversation. A different one starts at its own end. */
  subject: string
  label: string
  thread: Thread
  /** The moment shown; null when live. */
  moment: number | null
  isBusy: boolean
  /** Reason why nothing has happened yet, shown below the last row. */
  pending?: string | null
  onTop(): void
}

/** A conversation with an agent. */
export function ThreadList({ subject, label, thread, moment, isBusy, pending = null, onTop }: Props) {
  const items = useMemo(() => thread.filter((item) => item.type !== "question" || item.answer !== null), [thread])
  const lastEnd = items.findLastIndex(({ type }) => type === "ended")
  return (
    <MessageList
      subject={subject}
      label={label}
      rows={items}
      keyOf={seqOf}
      grown={useGrownAbove(items, seqOf)}
      moment={moment}
      onTop={onTop}
      column="mx-auto max-w-[820px] px-4"
      gapOf={({ type }) => gaps[type]}
      empty={null}
      footer={
        pending !== null && (
          <p role="status" className="flex items-center gap-2 text-sm text-ink-2">
            <StatusIcon state="busy" label={null} /> {pending}
          </p>
        )
      }
    >
      {(item, { isExpanded, toggle }, at) => (
        <ThreadRow item={item} isOver={!isBusy || at < lastEnd} isExpanded={isExpanded} onToggle={toggle} />
      )}
    </MessageList>
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
