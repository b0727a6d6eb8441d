/** Limits on concurrent runners; `Infinity` for no limit. */
export interface PlaceLimits {
  total: number
  perOwner: number
}

/** Creates places (slots) for runners. Sessions without a place are queued in the order of their requests. */
export function createRunnerPlaces({ total, perOwner }: PlaceLimits) {
  const taken = new Map<string, string>()
  const queue = new Map<string, string>()
  const ofOwner = (owner: string) => [...taken].flatMap(([sid, other]) => (other === owner ? [sid] : []))

  /** Takes a place if one is free. An owner at their limit doesn't block other owners. */
  function take(sid: string, owner: string): boolean {
    if (taken.size >= total || ofOwner(owner).length >= perOwner) return false
    queue.delete(sid)
    taken.set(sid, owner)
    return true
  }

  return {
    /** Takes a place for the session if it has none, or queues it. Returns true if it has a place. */
    request(sid: string, owner: string): boolean {
      if (taken.has(sid)) return true
      // A repeated request keeps its position, and a new one queues behind waiting sessions.
      if (!queue.has(sid) && take(sid, owner)) return true
      queue.set(sid, owner)
      return false
    },
    has: (sid: string): boolean => taken.has(sid),
    /** Releases the session's place, or removes it from the queue. */
    release(sid: string): void {
      taken.delete(sid)
      queue.delete(sid)
    },
    /** Assigns free places to waiting sessions, and returns those sessions. */
    grant: (): string[] => [...queue].flatMap(([sid, owner]) => (take(sid, owner) ? [sid] : [])),
    /** Waiting sessions in queue order. */
    waiting: (): string[] => [...queue.keys()],
    /** Returns the number of sessions ahead of this one in the queue, or undefined if it isn't waiting. */
    before(sid: string): number | undefined {
      const index = [...queue.keys()].indexOf(sid)
      return index < 0 ? undefined : index
    },
    /** Returns the sessions that keep this one from getting a place. One of them has to release its place first. */
    inTheWayOf(sid: string): string[] {
      const owner = queue.get(sid)
      if (owner === undefined) return []
      const own = ofOwner(owner)
      return own.length >= perOwner ? own : [...taken.keys()]
    },
  }
}

/** Memory that a runner needs without its agents. */
const BYTES_PER_RUNNER = 150 * 1024 * 1024

/**
 * Returns how many runners fit into a machine's memory. Runners get a quarter of it, because their agents need more.
 */
export function placesFor(memoryBytes: number): number {
  return Math.max(2, Math.floor(memoryBytes / 4 / BYTES_PER_RUNNER))
}
