import type { Clock } from "../../time.ts"

/** Signs of life of one executor. Its lease is renewed by them: with a timer alone, one that hangs would keep its run for ever. */
export interface Liveness {
  /** The executor has seen the log of its session. It looks every second, after whatever it is appending. */
  looked(): void
  /** The work did something. */
  moved(): void
  /** Does what has time limits of its own, such as asking a model: meanwhile the work need not move. */
  outside<T>(task: () => Promise<T>): Promise<T>
  isHung(): boolean
}

export interface LivenessOptions {
  /** After how long without a move the work counts as hung; without it, it watches over itself. */
  stillMs?: number
  /** When a store last said that it can't answer now, by the monotonic clock: waiting for that is not hanging. */
  unavailableAt?: () => number
}

/** Longer than a call to a store takes with all its tries. */
const BLIND_MS = 120_000

export function createLiveness(
  clock: Clock,
  { stillMs = Number.POSITIVE_INFINITY, unavailableAt = () => Number.NEGATIVE_INFINITY }: LivenessOptions,
): Liveness {
  let lookedAt = clock.monotonic()
  let movedAt = lookedAt
  let outside = 0
  const moved = () => {
    movedAt = clock.monotonic()
  }
  return {
    looked() {
      lookedAt = clock.monotonic()
    },
    moved,
    async outside(task) {
      outside++
      try {
        return await task()
      } finally {
        outside--
        moved()
      }
    },
    isHung() {
      const sinceMs = (at: number) => clock.monotonic() - Math.max(at, unavailableAt())
      return sinceMs(lookedAt) > BLIND_MS || (outside === 0 && sinceMs(movedAt) > stillMs)
    },
  }
}
