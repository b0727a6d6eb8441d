import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react"

/** How near its end a list has to be for us to take it that its reader wants the newest. */
const NEAR_PX = 48
/** For how long after its last sign a movement of the reader's goes on. */
const MOVING_MS = 200

/**
 * Keeps a growing list at its end, until its reader moves away from it. From the first sign of that on nothing here scrolls:
 * whoever is on their way up isn't pulled back, however fast rows come in. A reconnect never scrolls; to go to another
 * `moment` does, for who does that wants to see it.
 */
export function useStickToBottom(
  frame: RefObject<HTMLElement | null>,
  { count, subject, moment }: { count: number; subject: string; moment: number | null },
) {
  const [held, setHeld] = useState<{ subject: string; moment: number | null; count: number } | null>(null)
  const holding = held !== null && held.subject === subject && held.moment === moment
  const latest = useRef({ holding, count, subject, moment })
  latest.current = { holding, count, subject, moment }
  /** Where we last put the reader, in a list of which height. */
  const put = useRef({ top: 0, height: 0 })
  /** How many rows there were when the reader began to move, while they do. */
  const movedAt = useRef<number | null>(null)

  const pin = useCallback(() => {
    const list = scrollerIn(frame)
    if (!list || latest.current.holding || movedAt.current !== null) return
    list.scrollTop = list.scrollHeight
    put.current = { top: list.scrollTop, height: list.scrollHeight }
  }, [frame])

  // Who goes to another moment has finished moving in this one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the moment is another
  useLayoutEffect(() => {
    movedAt.current = null
  }, [moment])
  // Rows that come in, and those that turn out taller than they were taken for: before either is painted.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list has grown
  useLayoutEffect(pin, [pin, count, holding])
  const there = count > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: an empty list isn't there
  useEffect(() => {
    const list = scrollerIn(frame)
    if (!list?.firstElementChild) return
    const sizes = new ResizeObserver(pin)
    sizes.observe(list)
    sizes.observe(list.firstElementChild)
    return () => sizes.disconnect()
  }, [frame, pin, there, subject])

  // biome-ignore lint/correctness/useExhaustiveDependencies: an empty list isn't there
  useEffect(() => {
    const list = scrollerIn(frame)
    if (!list) return
    const over = new AbortController()
    const { signal } = over
    let still: ReturnType<typeof setTimeout> | undefined
    const ended = () => {
      const grown = movedAt.current !== latest.current.count
      movedAt.current = null
      if (grown) pin()
    }
    const moving = () => {
      movedAt.current ??= latest.current.count
      clearTimeout(still)
      still = setTimeout(ended, MOVING_MS)
    }
    const scrolled = () => {
      const { holding, ...now } = latest.current
      const fromEnd = list.scrollHeight - list.clientHeight - list.scrollTop
      if (holding) {
        if (fromEnd <= NEAR_PX) setHeld(null)
        return
      }
      // The sign of a movement may come later than the first of the way; but a list that has changed moves by itself.
      if (movedAt.current !== null) moving()
      else if (list.scrollHeight !== put.current.height) return
      // Rows that came in meanwhile are no distance that the reader went.
      const gone = Math.min(fromEnd, put.current.top - list.scrollTop)
      if (gone > NEAR_PX) setHeld(now)
    }
    const passive = { passive: true, signal }
    list.addEventListener("wheel", ({ deltaY }) => deltaY < 0 && moving(), passive)
    for (const sign of ["touchstart", "touchmove", "pointerdown", "keydown"]) {
      list.addEventListener(sign, moving, passive)
    }
    list.addEventListener("scroll", scrolled, passive)
    return () => {
      over.abort()
      clearTimeout(still)
      movedAt.current = null
    }
  }, [frame, pin, there, subject])

  return {
    following: !holding,
    unread: holding ? Math.max(0, count - held.count) : 0,
    toEnd: () => {
      movedAt.current = null
      setHeld(null)
    },
  }
}

function scrollerIn(frame: RefObject<HTMLElement | null>): HTMLElement | null {
  return frame.current?.querySelector<HTMLElement>('[role="log"]') ?? null
}
