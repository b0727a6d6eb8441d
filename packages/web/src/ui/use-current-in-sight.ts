import { type RefObject, useEffect, useRef } from "react"

/** Space to leave next to the current link, as far as there is any. */
const MARGIN_PX = 24

/**
 * For a strip of links that scrolls if they don't all fit: scrolls the current one into view whenever `current`
 * changes.
 */
export function useCurrentInSight<T extends HTMLElement>(current: string): RefObject<T | null> {
  const strip = useRef<T>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the link of it is found by its attribute
  useEffect(() => {
    const { current: frame } = strip
    const link = frame?.querySelector("[aria-current=page]")
    if (!frame || !link) return
    const [outer, inner] = [frame.getBoundingClientRect(), link.getBoundingClientRect()]
    // Not `scrollIntoView`, which also scrolls what is around the strip.
    const after = Math.max(0, inner.right + MARGIN_PX - outer.right)
    const before = Math.max(0, outer.left - inner.left + MARGIN_PX)
    frame.scrollLeft += after - before
  }, [current])
  return strip
}
