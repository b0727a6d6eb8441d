/** Nearer to its end than this, a list's reader wants the newest rows. */
const NEAR_PX = 48

export interface ScrollBox {
  scrollTop: number
  scrollHeight: number
  clientHeight: number
}

/** The position that the list was scrolled to last by itself, and its height at that time. */
export interface Pin {
  top: number
  height: number
}

/** The list as it was when its reader moved away from the end. */
export interface Held {
  subject: string
  moment: number | null
  count: number
}

/** Whether the reader's position is held: they moved away from the end of this list, at this moment of the session. */
export function isHeld(held: Held | null, { subject, moment }: Pick<Held, "subject" | "moment">): held is Held {
  return held !== null && held.subject === subject && held.moment === moment
}

/** The rows that came in since the reader moved away. */
export function unreadCount(held: Held | null, now: Held): number {
  return isHeld(held, now) ? Math.max(0, now.count - held.count) : 0
}

/**
 * The meaning of a scroll event. A list that has changed its height scrolls by itself, so that alone is no movement of the
 * reader's; and rows that came in meanwhile are no distance that the reader went.
 */
export function afterScroll(
  box: ScrollBox,
  { held, moving, pin }: { held: boolean; moving: boolean; pin: Pin },
): "follow" | "hold" | "stay" {
  const fromEnd = box.scrollHeight - box.clientHeight - box.scrollTop
  if (held) return fromEnd <= NEAR_PX ? "follow" : "stay"
  if (!moving && box.scrollHeight !== pin.height) return "stay"
  return Math.min(fromEnd, pin.top - box.scrollTop) > NEAR_PX ? "hold" : "stay"
}
