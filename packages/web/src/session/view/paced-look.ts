interface Options {
  /** Doesn't reject. */
  look(): Promise<unknown>
  /** The shortest time from one look to the next. */
  everyMs: number
  pause(ms: number, options: { signal: AbortSignal }): Promise<void>
  signal: AbortSignal
}

/**
 * A request to look: at once, unless a look is under way or was made shortly before. However often it is made meanwhile, one
 * look follows, and none is cut off by the next.
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
