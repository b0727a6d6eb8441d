import { isStructural, type StudioEvent } from "./event.ts"
import { countUpTo } from "./keyframes.ts"

/** All events of a log between two numbers. */
export interface Segment {
  from: number
  to: number
  events: StudioEvent[]
}

/** Returns the sorted, disjoint segments after adding one, which is merged with those that it overlaps or adjoins. */
export function addSegment(segments: readonly Segment[], added: Segment): Segment[] {
  const touches = (one: Segment) => one.from <= added.to + 1 && added.from <= one.to + 1
  const joined = segments.filter(touches).reduce(join, added)
  return [...segments.filter((one) => !touches(one)), joined].sort((a, b) => a.from - b.from)
}

/** Returns the segment containing this event, if it is loaded. */
export function segmentAt(segments: readonly Segment[], seq: number): Segment | undefined {
  return segments.find(({ from, to }) => from <= seq && seq <= to)
}

/** Yields a log's loaded events, each once: the structural ones, then the others in the segments. */
export function* loadedEvents(
  structural: readonly StudioEvent[],
  segments: readonly Segment[],
): Generator<StudioEvent> {
  yield* structural
  for (const { events } of segments) for (const event of events) if (!isStructural(event)) yield event
}

function join(a: Segment, b: Segment): Segment {
  const [first, second] = a.from <= b.from ? [a, b] : [b, a]
  const more = second.events.slice(countUpTo(second.events, first.to))
  return { from: first.from, to: Math.max(a.to, b.to), events: [...first.events, ...more] }
}
