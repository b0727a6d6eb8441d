import { type RefObject, useEffect, useRef } from "react"

/** The room that the current one has beside it, as far as there is some. */
const MARGIN_PX = 24

/** A strip of links that scrolls where they don't all fit: the current one is scrolled into sight whenever `current` changes. */
export function useCurrentInSight<T extends HTMLElement>(current: string): RefObject<T | null> {
  const strip = useRef<T>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the link of it is found by its attribute
  useEffect(() => {
    const { current: frame } = strip
    const link = frame?.querySelector("[aria-current=page]")
    if (!frame || !link) return
    const [outer, inner] = [frame.getBoundingClientRect(), link.getBoundingClientRect()]
    // Not `scrollIntoView`, which moves what is around the strip, too.
    const after = Math.max(0, inner.right + MARGIN_PX - outer.right)
    const before = Math.max(0, outer.left - inner.left + MARGIN_PX)
    frame.scrollLeft += after - before
  }, [current])
  return strip
}
