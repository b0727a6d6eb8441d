/** A reader this close to the end of the list wants to see new rows. */
const NEAR_PX = 48

export interface ScrollBox {
  scrollTop: number
  scrollHeight: number
  clientHeight: number
}

/** The position that the list last scrolled itself to, and its height at that time. */
export interface Pin {
  top: number
  height: number
}

/** State of the list when its reader scrolled away from the end. */
export interface HeldPosition {
  subject: string
  moment: number | null
  count: number
}

/**
 * Returns true if the position is held, because the reader scrolled away from the end of this list at this moment of
 * the session.
 */
export function isHeld(
  held: HeldPosition | null,
  { subject, moment }: Pick<HeldPosition, "subject" | "moment">,
): held is HeldPosition {
  return held !== null && held.subject === subject && held.moment === moment
}

/** Returns the number of rows that arrived since the reader scrolled away. */
export function unreadCount(held: HeldPosition | null, now: HeldPosition): number {
  return isHeld(held, now) ? Math.max(0, now.count - held.count) : 0
}

/**
 * Interprets a scroll event. If the list's height has changed, it scrolled by itself, so that alone doesn't mean that
 * the reader did. Rows that arrived meanwhile don't count as distance. While `settling`, a windowed list scrolls by the
 * difference once the real heights of rows above are known, even if its own height stays the same: `return` from there.
 */
export function afterScroll(
  box: ScrollBox,
  { held, moving, settling, pin }: { held: boolean; moving: boolean; settling: boolean; pin: Pin },
): "follow" | "hold" | "stay" | "return" {
  const fromEnd = box.scrollHeight - box.clientHeight - box.scrollTop
  if (held) return fromEnd <= NEAR_PX ? "follow" : "stay"
  if (!moving && box.scrollHeight !== pin.height) return "stay"
  if (Math.min(fromEnd, pin.top - box.scrollTop) <= NEAR_PX) return "stay"
  return !moving && settling ? "return" : "hold"
}
