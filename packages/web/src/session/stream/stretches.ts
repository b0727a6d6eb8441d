import { isSpine, type StudioEvent } from "./event.ts"
import { countUpTo } from "./moments.ts"

/** Every event of a log from one number to another. */
export interface Stretch {
  from: number
  to: number
  events: StudioEvent[]
}

/** The stretches, in order and apart, with one more. Those that it overlaps or adjoins become one with it. */
export function withStretch(stretches: readonly Stretch[], added: Stretch): Stretch[] {
  const touches = (one: Stretch) => one.from <= added.to + 1 && added.from <= one.to + 1
  const joined = stretches.filter(touches).reduce(join, added)
  return [...stretches.filter((one) => !touches(one)), joined].sort((a, b) => a.from - b.from)
}

/** The stretch in which a moment lies, if what was read has it. */
export function stretchAt(stretches: readonly Stretch[], seq: number): Stretch | undefined {
  return stretches.find(({ from, to }) => from <= seq && seq <= to)
}

/** What is known of a log: all that its views are made of, and whatever else was read, each once. */
export function* knownEvents(spine: readonly StudioEvent[], stretches: readonly Stretch[]): Generator<StudioEvent> {
  yield* spine
  for (const { events } of stretches) for (const event of events) if (!isSpine(event)) yield event
}

function join(a: Stretch, b: Stretch): Stretch {
  const [first, second] = a.from <= b.from ? [a, b] : [b, a]
  const more = second.events.slice(countUpTo(second.events, first.to))
  return { from: first.from, to: Math.max(a.to, b.to), events: [...first.events, ...more] }
}
