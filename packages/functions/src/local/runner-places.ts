/** Limits on concurrent runners; `Infinity` for no limit. */
export interface PlaceLimits {
  total: number
  perOwner: number
}

/**
 * Creates slots for runners. Sessions without a slot are queued in the order of their requests. The code calls slots
 * places.
 */
export function createRunnerPlaces({ total, perOwner }: PlaceLimits) {
  const taken = new Map<string, string>()
  const queue = new Map<string, string>()
  const ofOwner = (owner: string) => [...taken].flatMap(([sid, other]) => (other === owner ? [sid] : []))

  /** Takes a slot if one is free. An owner who is at their limit doesn't block other owners. */
  function take(sid: string, owner: string): boolean {
    if (taken.size >= total || ofOwner(owner).length >= perOwner) return false
    queue.delete(sid)
    taken.set(sid, owner)
    return true
  }

  return {
    /** Takes a slot for the session if it has none, or adds it to the queue. Returns true if it has a slot. */
    request(sid: string, owner: string): boolean {
      if (taken.has(sid)) return true
      // With a repeated request, the session keeps its position. A new one is queued behind waiting sessions.
      if (!queue.has(sid) && take(sid, owner)) return true
      queue.set(sid, owner)
      return false
    },
    has: (sid: string): boolean => taken.has(sid),
    /** Releases the session's slot, or removes the session from the queue. */
    release(sid: string): void {
      taken.delete(sid)
      queue.delete(sid)
    },
    /** Gives free slots to waiting sessions, and returns those sessions. */
    grant: (): string[] => [...queue].flatMap(([sid, owner]) => (take(sid, owner) ? [sid] : [])),
    /** Waiting sessions in queue order. */
    waiting: (): string[] => [...queue.keys()],
    /** Returns the number of sessions ahead of this one in the queue, or undefined if it isn't waiting. */
    before(sid: string): number | undefined {
      const index = [...queue.keys()].indexOf(sid)
      return index < 0 ? undefined : index
    },
    /** Returns the sessions that prevent this one from getting a slot. One of them has to release its slot first. */
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
 * Returns the number of runners that fit into a machine's memory. Runners get a quarter of it, because their agents
 * need more.
 */
export function placesFor(memoryBytes: number): number {
  return Math.max(2, Math.floor(memoryBytes / 4 / BYTES_PER_RUNNER))
}
