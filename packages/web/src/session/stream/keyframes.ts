import type { StudioEvent } from "./event.ts"
import { emptyView, reduceView, type SessionView } from "./view.ts"

const INTERVAL = 500

/**
 * Creates a function that returns a log's view at any moment. `structural` may only grow. Caches the view after every
 * 500th event, so that dragging through a long session folds a few hundred events instead of all of them.
 */
export function createKeyframes(structural: readonly StudioEvent[]) {
  const keyframes: SessionView[] = [emptyView]

  /** Returns the view after this event, structural or not. */
  return function viewAt(seq: number): SessionView {
    const end = countUpTo(structural, seq)
    while (keyframes.length * INTERVAL <= end) {
      const from = (keyframes.length - 1) * INTERVAL
      keyframes.push(fold(keyframes[keyframes.length - 1] ?? emptyView, structural, from, from + INTERVAL))
    }
    const nearest = Math.floor(end / INTERVAL)
    return { ...fold(keyframes[nearest] ?? emptyView, structural, nearest * INTERVAL, end), seq }
  }
}

/** Returns the number of events up to and including `seq`. The events must be sorted. */
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
