import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react"
import { afterScroll, type HeldPosition, isHeld, unreadCount } from "./stick-to-bottom.ts"

/** A reader counts as moving for this long after the last event. */
const MOVING_MS = 200

/** A list may scroll by itself for this long after rows arrived or changed their height. */
const SETTLING_MS = 200

/**
 * Keeps a growing list scrolled to its end until its reader scrolls away. From the first sign of that, nothing here
 * scrolls: a reader scrolling up isn't pulled back, however fast rows arrive. A reconnect never scrolls. Going to
 * another `moment` does, because the reader wants to see it.
 */
export function useStickToBottom(frame: RefObject<HTMLElement | null>, now: HeldPosition) {
  const { count, subject, moment } = now
  const [held, setHeld] = useState<HeldPosition | null>(null)
  const holding = isHeld(held, now)
  const latest = useRef({ holding, now })
  latest.current = { holding, now }
  const pinned = useRef({ top: 0, height: 0, at: 0 })
  /** Number of rows when the reader began to move; null while they aren't moving. */
  const movedAt = useRef<number | null>(null)

  const pin = useCallback(() => {
    const list = scrollerIn(frame)
    if (!list || latest.current.holding || movedAt.current !== null) return
    list.scrollTop = list.scrollHeight
    pinned.current = { top: list.scrollTop, height: list.scrollHeight, at: performance.now() }
  }, [frame])

  // Going to another moment ends the movement in this one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the moment is another
  useLayoutEffect(() => {
    movedAt.current = null
  }, [moment])
  // Rows that arrive, or turn out taller than estimated, are handled before they are painted.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list has grown
  useLayoutEffect(pin, [pin, count, holding])
  const toEnd = useCallback(() => {
    movedAt.current = null
    setHeld(null)
    latest.current.holding = false
    pin()
  }, [pin])
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
    let timer: ReturnType<typeof setTimeout> | undefined
    const ended = () => {
      const grown = movedAt.current !== latest.current.now.count
      movedAt.current = null
      if (grown) pin()
    }
    const moving = () => {
      movedAt.current ??= latest.current.now.count
      clearTimeout(timer)
      timer = setTimeout(ended, MOVING_MS)
    }
    const scrolled = () => {
      const isMoving = movedAt.current !== null
      const settling = performance.now() - pinned.current.at < SETTLING_MS
      const state = { held: latest.current.holding, moving: isMoving, settling }
      const next = afterScroll(list, { ...state, pin: pinned.current })
      if (isMoving && !latest.current.holding) moving()
      if (next === "return") pin()
      if (next === "follow") setHeld(null)
      if (next === "hold") setHeld(latest.current.now)
    }
    const stop = listen(list, { moving, scrolled, toEnd })
    return () => {
      stop()
      clearTimeout(timer)
      movedAt.current = null
    }
  }, [frame, pin, toEnd, there, subject])

  return { following: !holding, unread: unreadCount(held, now), toEnd }
}

interface Reader {
  /** Called at any sign of movement. */
  moving(): void
  scrolled(): void
  toEnd(): void
}

/** Reports what the reader does, until the returned function is called. */
function listen(list: HTMLElement, { moving, scrolled, toEnd }: Reader): () => void {
  const controller = new AbortController()
  const options = { passive: true, signal: controller.signal }
  list.addEventListener("wheel", ({ deltaY }) => deltaY < 0 && moving(), options)
  for (const sign of ["touchstart", "touchmove", "pointerdown"]) list.addEventListener(sign, moving, options)
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== "End" || event.target !== list) return moving()
    // The browser would scroll to the estimated end, which moves once rows turn out taller.
    event.preventDefault()
    toEnd()
  }
  list.addEventListener("keydown", pressed, { signal: controller.signal })
  list.addEventListener("scroll", scrolled, options)
  return () => controller.abort()
}

function scrollerIn(frame: RefObject<HTMLElement | null>): HTMLElement | null {
  return frame.current?.querySelector<HTMLElement>('[role="log"]') ?? null
}
