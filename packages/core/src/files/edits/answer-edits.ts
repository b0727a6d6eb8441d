import { createEditBlockParser, type EditBlock } from "./edit-blocks.ts"

const CUT = "The answer was cut after this block, so its end is uncertain. Repeat it."
const NEVER_ENDED = "The block was never ended."

export interface AnswerEdits {
  /** Edits in order. Those with a problem must not be applied. */
  edits: { block: EditBlock; problem?: string }[]
  /** Number of blocks that name no file, have another form, or are quoted. */
  unreadable: number
}

/**
 * Returns the edits of an answer. The last line of a cut answer may be incomplete, so it is ignored. If a cut answer
 * ends outside all blocks, that may still be text of a block that quotes its own end marker, so its edits fail. A
 * further block that has begun shows that those before it have ended.
 */
export function editsIn(answer: string, { isCut = false }: { isCut?: boolean } = {}): AnswerEdits {
  const parser = createEditBlockParser()
  parser.push(isCut ? answer.slice(0, answer.lastIndexOf("\n") + 1) : answer)
  const parts = parser.parts()
  const last = parts.at(-1)
  const endsUncertain = isCut && (last?.type === "text" || last?.isComplete)
  const edits = parts.flatMap((part) => {
    if (part.type !== "edit") return []
    const { block, isComplete, problem = NEVER_ENDED } = part
    if (!isComplete) return [{ block, problem }]
    return [endsUncertain ? { block, problem: CUT } : { block }]
  })
  return { edits, unreadable: parser.unreadable() }
}
