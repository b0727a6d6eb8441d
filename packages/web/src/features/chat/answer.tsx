import { createAnswerReader } from "@switchyard/core/files/edits/edit-blocks"
import { memo, useMemo, useState } from "react"
import { lazyPart } from "../../ui/lazy-part.ts"
import { EditCard } from "./edit-card.tsx"
import type { TurnResult } from "./use-chat.ts"

const markdown = () => import("../../ui/markdown/markdown.tsx")
const plain = ({ text }: { text: string }) => <p className="whitespace-pre-wrap">{text}</p>
const Markdown = lazyPart(async () => (await markdown()).Markdown, plain)
const StreamedMarkdown = lazyPart(async () => (await markdown()).StreamedMarkdown, plain)

interface Props {
  text: string
  /** Null while the answer is arriving. */
  result: TurnResult | null
  /** True if its edits were undone. */
  isUndone?: boolean
  onOpen(path: string): void
}

/** An answer: text as Markdown, edits as cards. Memoised, so it re-renders only when it changes. */
export const Answer = memo(function Answer({ text, result, isUndone = false, onOpen }: Props) {
  const [read] = useState(createAnswerReader)
  const isGrowing = result === null
  const parts = useMemo(() => read(text, { isGrowing }), [read, text, isGrowing])
  const Words = isGrowing ? StreamedMarkdown : Markdown
  let edits = 0
  return (
    <div className="flex flex-col gap-3 leading-relaxed">
      {parts.map((part, at) => {
        const key = `${at.toString()} ${part.type}`
        if (part.type === "edit") {
          const edit = result?.edit_results[edits++]
          const state = { result: edit, isUndone, isOpen: !part.isComplete }
          return <EditCard key={key} block={part.block} {...state} onOpen={onOpen} />
        }
        if (part.text.trim() === "") return null
        return <Words key={key} text={part.text} />
      })}
    </div>
  )
})
