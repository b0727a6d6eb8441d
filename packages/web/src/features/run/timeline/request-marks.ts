import { titleOf } from "@switchyard/core/work/runs/title"
import type { Conversation } from "../../../session/stream/conversation.ts"

/** The size of a mark: the least that a finger hits. Marks closer together than that would cover one another. */
const MARK_PX = 24

export interface RequestMark {
  seq: number
  /** Counted from 1. */
  number: number
  title: string
  /** The place of its event on the line. */
  x: number
  /** The left edge of its mark, which stays on the line. */
  left: number
}

/** The marks of the requests on a line of so many pixels; of those that are too close together, the first. */
export function requestMarks(
  turns: Conversation,
  { firstSeq, total, width }: { firstSeq: number; total: number; width: number },
): RequestMark[] {
  const marks: RequestMark[] = []
  if (total === 0 || width < MARK_PX) return marks
  for (const [index, { run }] of turns.entries()) {
    const x = ((run.firstSeq - firstSeq) / total) * width
    const left = Math.min(Math.max(0, x - MARK_PX / 2), width - MARK_PX)
    const before = marks.at(-1)
    if (before && left - before.left < MARK_PX) continue
    marks.push({ seq: run.firstSeq, number: index + 1, title: titleOf(run.prompt), x, left })
  }
  return marks
}
