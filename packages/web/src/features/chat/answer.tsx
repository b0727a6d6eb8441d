import { createAnswerReader, withPatches } from "@switchyard/core/files/edits/answer-edits"
import type { AnswerPart, EditPart } from "@switchyard/core/files/edits/edit-blocks"
import type { ChatEdit } from "@switchyard/core/work/chat/schema"
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
  const parts = useMemo(
    () => (result ? settledParts(read, text, result) : read(text, { isGrowing })),
    [read, text, result, isGrowing],
  )
  const Words = isGrowing ? StreamedMarkdown : Markdown
  let edits = 0
  return (
    <div className="flex flex-col gap-3 leading-relaxed">
      {parts.map((part, at) => {
        const key = `${at.toString()} ${part.type}`
        if (part.type === "edit") {
          const edit = resultOf(part, result?.edit_results[edits])
          if (edit) edits++
          const state = { result: edit, isUndone, isOpen: !part.isComplete, isSettled: !isGrowing }
          return <EditCard key={key} block={part.block} {...state} onOpen={onOpen} />
        }
        if (part.text.trim() === "") return null
        return <Words key={key} text={part.text} />
      })}
    </div>
  )
})

/** Reads a settled answer. The server knows all paths, so its results name those that can't be recognised here. */
function settledParts(
  read: ReturnType<typeof createAnswerReader>,
  text: string,
  { edit_results }: TurnResult,
): AnswerPart[] {
  const paths = new Set(edit_results.map(({ file_path }) => file_path))
  const parts = read(text, { isGrowing: false, isKnown: (path) => paths.has(path) })
  return edit_results.length === 0 ? parts : withPatches(parts, text).parts
}

/** Returns the next result if it belongs to the edit. An edit without a result wasn't applied. */
function resultOf({ block }: EditPart, result: ChatEdit | undefined): ChatEdit | undefined {
  const isIts = result?.old_text === block.oldLines.join("\n") && result.new_text === block.newLines.join("\n")
  return isIts ? result : undefined
}
