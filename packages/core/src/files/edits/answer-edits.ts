import { type AnswerPart, createEditBlockParser, type EditBlock } from "./edit-blocks.ts"
import type { IsKnownPath } from "./edit-paths.ts"
import { readPatches } from "./patches.ts"

const CUT = "The answer was cut off after this block, so the block may be incomplete. Repeat it."
const NEVER_ENDED = "The block has no end marker."

export interface AnswerEdits {
  /** Edits in order. An edit that has a problem must not be applied. */
  edits: { block: EditBlock; problem?: string }[]
  /** Number of blocks that name no file, are malformed, or are quoted. */
  unreadable: number
}

interface ReadingOptions {
  isCut?: boolean
  isKnown?: IsKnownPath | undefined
  /** True if patches in the answer are only for display, because the person asked to see them. */
  showsPatches?: boolean
}

/**
 * Returns the edits in an answer. If the answer was interrupted, its last line is ignored, because it may be
 * incomplete. If an interrupted answer ends outside of a block, all edits fail, because the last block may have quoted
 * its own end marker and might continue. If it ends inside a block, the earlier blocks are complete.
 */
export function editsIn(
  answer: string,
  { isCut = false, isKnown, showsPatches = false }: ReadingOptions = {},
): AnswerEdits {
  const parser = createEditBlockParser(isKnown)
  const whole = isCut ? answer.slice(0, answer.lastIndexOf("\n") + 1) : answer
  parser.push(whole)
  const blocks = { parts: parser.parts(), unreadable: 0 }
  const { parts, unreadable } = showsPatches ? blocks : withPatches(blocks.parts, whole)
  const last = parts.at(-1)
  const endsUncertain = isCut && (last?.type === "text" || last?.isComplete)
  const edits = parts.flatMap((part) => {
    if (part.type !== "edit") return []
    const { block, isComplete, problem = NEVER_ENDED } = part
    if (!isComplete) return [{ block, problem }]
    return [endsUncertain ? { block, problem: CUT } : { block }]
  })
  return { edits, unreadable: parser.unreadable() + unreadable }
}

/**
 * Creates a reader for an answer that grows with each call. Each line is read only once. While `isGrowing` is set, the
 * end of the last line may be missing if the line is longer than 1,000 characters.
 */
export function createAnswerReader() {
  let read = ""
  let known: IsKnownPath | undefined
  let parser = createEditBlockParser()
  return (answer: string, { isGrowing, isKnown }: { isGrowing: boolean; isKnown?: IsKnownPath }): AnswerPart[] => {
    if (!answer.startsWith(read) || isKnown !== known) {
      parser = createEditBlockParser(isKnown)
      read = ""
      known = isKnown
    }
    parser.push(answer.slice(read.length))
    read = answer
    return isGrowing ? parser.growing() : parser.parts()
  }
}

/** Reads the patches in a whole answer if the answer has no edit blocks. Otherwise, patches are only illustrations. */
export function withPatches(parts: AnswerPart[], answer: string): { parts: AnswerPart[]; unreadable: number } {
  const hasEdits = parts.some(({ type }) => type === "edit")
  return hasEdits || answer === "" ? { parts, unreadable: 0 } : readPatches(answer)
}
