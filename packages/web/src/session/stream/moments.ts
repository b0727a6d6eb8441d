import type { StudioEvent } from "./event.ts"
import { emptyView, reduceView, type SessionView } from "./view.ts"

const EVERY = 500

/**
 * The views of a log whose spine only grows, at any of its moments. Remembers one in 500, so that dragging through a long
 * session folds a few hundred events and not all of them.
 */
export function createMoments(spine: readonly StudioEvent[]) {
  const kept: SessionView[] = [emptyView]

  /** The view after the event of this number, which the log has, whether or not it is one that a view depends on. */
  return function at(seq: number): SessionView {
    const end = countUpTo(spine, seq)
    while (kept.length * EVERY <= end) {
      const from = (kept.length - 1) * EVERY
      kept.push(fold(kept[kept.length - 1] ?? emptyView, spine, from, from + EVERY))
    }
    const nearest = Math.floor(end / EVERY)
    return { ...fold(kept[nearest] ?? emptyView, spine, nearest * EVERY, end), seq }
  }
}

/** How many of the events are not after `seq`. They are in the order of their numbers. */
export function countUpTo(events: readonly StudioEvent[], seq: number): number {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle]?.seq ?? 0) <= seq) low = middle + 1
    else high = middle
  }
  return low
}

function fold(view: SessionView, events: readonly StudioEvent[], from: number, to: number): SessionView {
  return events.slice(from, to).reduce(reduceView, view)
}
