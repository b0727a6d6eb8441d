/** Limits on concurrent runners; `Infinity` for no limit. */
export interface PlaceLimits {
  total: number
  perOwner: number
}

/**
 * Creates the slots for runners. Sessions that don't get a slot are queued in the order of their requests. A slot is
 * called a place in the code.
 */
export function createRunnerPlaces({ total, perOwner }: PlaceLimits) {
  const taken = new Map<string, string>()
  const queue = new Map<string, string>()
  const ofOwner = (owner: string) => [...taken].flatMap(([sid, other]) => (other === owner ? [sid] : []))

  /**
   * Takes a slot if one is free and the owner is below their limit. An owner who has reached their limit doesn't block
   * other owners.
   */
  function take(sid: string, owner: string): boolean {
    if (taken.size >= total || ofOwner(owner).length >= perOwner) return false
    queue.delete(sid)
    taken.set(sid, owner)
    return true
  }

  return {
    /**
     * Takes a slot for the session, unless the session already has one. If no slot is available, adds the session to
     * the queue. Returns true if the session has a slot.
     */
    request(sid: string, owner: string): boolean {
      if (taken.has(sid)) return true
      // A session that repeats its request keeps its position. A new session is queued behind the waiting ones.
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
    /** Returns the number of sessions ahead of this one in the queue, or undefined if this session isn't waiting. */
    before(sid: string): number | undefined {
      const index = [...queue.keys()].indexOf(sid)
      return index < 0 ? undefined : index
    },
    /**
     * Returns the sessions that prevent this session from getting a slot. This session can get a slot as soon as any of
     * them releases its slot.
     */
    inTheWayOf(sid: string): string[] {
      const owner = queue.get(sid)
      if (owner === undefined) return []
      const own = ofOwner(owner)
      return own.length >= perOwner ? own : [...taken.keys()]
    },
  }
}

/** Memory that a runner itself needs, without its agents. */
const BYTES_PER_RUNNER = 150 * 1024 * 1024

/**
 * Returns the number of runners that a machine's memory allows. Runners get a quarter of the memory, because agents
 * need more memory than their runners.
 */
export function placesFor(memoryBytes: number): number {
  return Math.max(2, Math.floor(memoryBytes / 4 / BYTES_PER_RUNNER))
}
