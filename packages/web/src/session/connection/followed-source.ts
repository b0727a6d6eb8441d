import { createQueue } from "./queue.ts"
import { advance, type Source, type SourceUpdate } from "./source.ts"

/** A source that this tab follows, and its position in it. */
export interface FollowedSource {
  /** The source, from this tab's position on. */
  readonly source: Source
  /** Receives an update from the leader. Skips a frame that was already received. */
  receive(update: SourceUpdate, size: number): void
  /** Yields the updates until the signal aborts or the source is refused. */
  read(options: { signal: AbortSignal }): AsyncGenerator<SourceUpdate>
  /** Counts from zero again, as a leader does when this tab asks it for the source. */
  recount(): void
  end(): void
}

const REPORT_AFTER = 64_000

/** Creates the source. `report` tells the leader the size of the frames consumed. */
export function createFollowedSource(from: Source, report: (taken: number) => void): FollowedSource {
  const queue = createQueue<{ update: SourceUpdate; size: number }>()
  let source = from
  /** Size of the frames consumed, and how much of that was reported. */
  let taken = 0
  let reported = 0

  function take(size: number): void {
    taken += size
    if (taken - reported < REPORT_AFTER) return
    reported = taken
    report(taken)
  }

  return {
    get source() {
      return source
    },
    receive(update, size) {
      const next = update.type === "frame" ? advance(source, update.frame) : source
      if (next) {
        source = next
        queue.put({ update, size })
      } else take(size)
    },
    async *read({ signal }) {
      for await (const { update, size } of queue.read({ signal })) {
        yield update
        if (update.type === "refused") return
        take(size)
      }
    },
    recount() {
      taken = 0
      reported = 0
    },
    end: queue.end,
  }
}
