import type { StudioEvent } from "./event.ts"
import { emptyView, reduceView, type SessionView } from "./view.ts"

const EVERY = 500

/**
 * The views of a log that only grows, at any of its moments. Remembers one in 500, so that dragging through a long session
 * folds a few hundred events and not all of them.
 */
export function createMoments(events: readonly StudioEvent[]) {
  const kept: SessionView[] = [emptyView]

  /** The view after the first `count` events. */
  return function at(count: number): SessionView {
    const end = Math.min(count, events.length)
    while (kept.length * EVERY <= end) {
      const from = (kept.length - 1) * EVERY
      kept.push(fold(kept[kept.length - 1] ?? emptyView, events, from, from + EVERY))
    }
    const nearest = Math.floor(end / EVERY)
    return fold(kept[nearest] ?? emptyView, events, nearest * EVERY, end)
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
