import { type RefObject, useLayoutEffect, useRef, useState } from "react"
import type { VListHandle } from "virtua"

/** How near its end a list has to be for us to take it that its reader wants the newest. */
const NEAR_PX = 48

/** Keeps a growing list at its end, until its reader scrolls away from it. A reconnect never scrolls. */
export function useFollow(list: RefObject<VListHandle | null>, count: number, subject: string) {
  const [held, setHeld] = useState<{ subject: string; count: number } | null>(null)
  const last = useRef(0)
  const holding = held !== null && held.subject === subject

  useLayoutEffect(() => {
    if (!holding && count > 0) list.current?.scrollToIndex(count - 1, { align: "end" })
  }, [list, count, holding])

  return {
    following: !holding,
    unread: holding ? Math.max(0, count - held.count) : 0,
    onScroll: (offset: number) => {
      const shown = list.current
      if (!shown) return
      const nearEnd = shown.scrollSize - shown.viewportSize - offset <= NEAR_PX
      // Only a reader scrolls up: rows that come in, or that turn out taller than they were taken for, never do.
      const up = offset < last.current - 1
      last.current = offset
      if (nearEnd) setHeld(null)
      else if (up && !holding) setHeld({ subject, count })
    },
    toEnd: () => setHeld(null),
  }
}
