import { titleOf } from "@switchyard/core/work/runs/title"
import type { Conversation } from "../../../session/stream/conversation.ts"

/** Size of a mark, which is the smallest comfortable touch target. Marks closer together would overlap. */
const MARK_PX = 24

export interface RequestMark {
  seq: number
  /** 1-based. */
  number: number
  title: string
  /** Position of its event on the line. */
  x: number
  /** Left edge of its mark, which is kept within the line. */
  left: number
}

/**
 * Returns the marks of requests on a line of the given width. Of several that are too close together, only the first.
 */
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
