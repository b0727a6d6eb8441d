/** Limits of concurrent runners; `Infinity` for none. */
export interface PlaceLimits {
  total: number
  perOwner: number
}

/** Places for runners. Sessions without a place wait in order of their requests. */
export interface RunnerPlaces {
  /** Takes a place for the session if it has none, or queues it. Returns true if it has a place. */
  request(sid: string, owner: string): boolean
  has(sid: string): boolean
  /** Releases the session's place, or its turn in the queue. */
  release(sid: string): void
  /** Takes free places for waiting sessions, and returns these sessions. */
  grant(): string[]
  /** Waiting sessions, first come first. */
  waiting(): string[]
  /** Returns the number of sessions that wait before this one, or undefined if it doesn't wait. */
  before(sid: string): number | undefined
  /** Returns the sessions that block this one. One of them must release its place first. */
  inTheWayOf(sid: string): string[]
}

export function createRunnerPlaces({ total, perOwner }: PlaceLimits): RunnerPlaces {
  const taken = new Map<string, string>()
  const queue = new Map<string, string>()
  const ofOwner = (owner: string) => [...taken].flatMap(([sid, other]) => (other === owner ? [sid] : []))

  /** Takes a place if there is one. An owner at the limit doesn't block other owners. */
  function take(sid: string, owner: string): boolean {
    if (taken.size >= total || ofOwner(owner).length >= perOwner) return false
    queue.delete(sid)
    taken.set(sid, owner)
    return true
  }

  return {
    request(sid, owner) {
      if (taken.has(sid)) return true
      // A repeated request keeps its turn, and a new one comes after waiting sessions.
      if (!queue.has(sid) && take(sid, owner)) return true
      queue.set(sid, owner)
      return false
    },
    has: (sid) => taken.has(sid),
    release(sid) {
      taken.delete(sid)
      queue.delete(sid)
    },
    grant: () => [...queue].flatMap(([sid, owner]) => (take(sid, owner) ? [sid] : [])),
    waiting: () => [...queue.keys()],
    before(sid) {
      const index = [...queue.keys()].indexOf(sid)
      return index < 0 ? undefined : index
    },
    inTheWayOf(sid) {
      const owner = queue.get(sid)
      if (owner === undefined) return []
      const own = ofOwner(owner)
      return own.length >= perOwner ? own : [...taken.keys()]
    },
  }
}

/** Memory of a runner without its agents. */
const BYTES_PER_RUNNER = 150 * 1024 * 1024

/**
 * Returns the number of runners for a machine's memory. They get a quarter, because agents need more than their
 * runners.
 */
export function placesFor(memoryBytes: number): number {
  return Math.max(2, Math.floor(memoryBytes / 4 / BYTES_PER_RUNNER))
}
