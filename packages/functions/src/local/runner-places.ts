/** The limits of runners at once; `Infinity` for none. */
export interface PlaceLimits {
  total: number
  perOwner: number
}

/** Places for runners. Sessions without one wait, in the order in which they asked. */
export interface RunnerPlaces {
  /** Takes a place for the session, if it has none yet, or queues it. Returns whether it has one. */
  request(sid: string, owner: string): boolean
  has(sid: string): boolean
  /** Gives up the session's place, or its wait for one. */
  release(sid: string): void
  /** Takes places for sessions that wait, as far as there are any, and returns those. */
  grant(): string[]
  /** The sessions that wait, first come first. */
  waiting(): string[]
  /** The number of sessions that wait before this one; undefined if it doesn't wait. */
  before(sid: string): number | undefined
  /** The sessions of which one must give up its place before this one can have any. */
  inTheWayOf(sid: string): string[]
}

export function createRunnerPlaces({ total, perOwner }: PlaceLimits): RunnerPlaces {
  const taken = new Map<string, string>()
  const queue = new Map<string, string>()
  const ofOwner = (owner: string) => [...taken].flatMap(([sid, other]) => (other === owner ? [sid] : []))

  /** An owner whose places are taken holds up no other owner. */
  function take(sid: string, owner: string): boolean {
    if (taken.size >= total || ofOwner(owner).length >= perOwner) return false
    queue.delete(sid)
    taken.set(sid, owner)
    return true
  }

  return {
    request(sid, owner) {
      if (taken.has(sid)) return true
      // Who asks again keeps their turn, and who asks first comes after those who wait.
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

/** The memory of a runner without its agents. */
const BYTES_PER_RUNNER = 150 * 1024 * 1024

/** The number of runners for a machine with so much memory: a quarter of it, as agents take more than their runners. */
export function placesFor(memoryBytes: number): number {
  return Math.max(2, Math.floor(memoryBytes / 4 / BYTES_PER_RUNNER))
}
