interface Options {
  /** Must not reject. */
  look(): Promise<unknown>
  /** Minimum time between looks. */
  everyMs: number
  pause(ms: number, options: { signal: AbortSignal }): Promise<void>
  signal: AbortSignal
}

/**
 * Returns a function that requests a look: immediately, unless one is in progress or was made shortly before. However
 * often it is called meanwhile, a single look follows, and no look is interrupted.
 */
export function pacedLook({ look, everyMs, pause, signal }: Options): () => void {
  let isAsked = false
  let isLooking = false
  async function goOn() {
    isLooking = true
    while (isAsked && !signal.aborted) {
      isAsked = false
      await Promise.all([look(), pause(everyMs, { signal })])
    }
    isLooking = false
  }
  return () => {
    isAsked = true
    if (!isLooking) void goOn()
  }
}
