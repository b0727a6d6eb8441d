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
  /** Null while the answer arrives. */
  result: TurnResult | null
  /** Whether its edits were taken back. */
  isUndone?: boolean
  onOpen(path: string): void
}

/** An answer: its words as Markdown, its edits as cards. Drawn anew only where it changed, whatever happens around it. */
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
