/** Pings to the leader, which tell whether it still answers. */
export interface Pings {
  /** Starts anew, with a ping right away. */
  start(): void
  stop(): void
  /** Called when the leader has answered. */
  answered(): void
}

interface PingsDeps {
  pause(ms: number, options: { signal: AbortSignal }): Promise<void>
  isWatched(): boolean
}

/** Interval at which a tab pings the leader. It takes over after this many pings without an answer. */
const PING_MS = 1_500
const UNWATCHED_PING_MS = 15_000
const MAX_MISSES = 3

/** Creates the pings. `onSilence` is called when the leader has missed too many. */
export function createPings(
  deps: PingsDeps,
  { send, onSilence }: { send: (about: { watched: boolean }) => void; onSilence: () => void },
): Pings {
  let misses = 0
  let pinging = new AbortController()

  async function run({ signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      if (misses >= MAX_MISSES) {
        misses = 0
        onSilence()
      }
      misses += 1
      const watched = deps.isWatched()
      send({ watched })
      await deps.pause(watched ? PING_MS : UNWATCHED_PING_MS, { signal })
    }
  }

  function stop(): void {
    pinging.abort()
    misses = 0
  }

  return {
    start() {
      stop()
      pinging = new AbortController()
      void run(pinging)
    },
    stop,
    answered() {
      misses = 0
    },
  }
}
