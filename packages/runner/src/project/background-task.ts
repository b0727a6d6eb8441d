/** The one thing that a session's runner does behind everything else. */
export interface BackgroundTask {
  readonly busy: boolean
  /** Begins it. What it throws is for `failed`. */
  start(
    task: (options: { signal: AbortSignal }) => Promise<void>,
    failed: (error: unknown) => void,
    options: { signal: AbortSignal },
  ): void
  /** Resolves once it is over, or as far as it got. */
  stop(): Promise<void>
}

export function createBackgroundTask(): BackgroundTask {
  let current: { stop: AbortController; done: Promise<void> } | undefined

  async function stop(): Promise<void> {
    current?.stop.abort()
    await current?.done
  }

  return {
    get busy() {
      return current !== undefined
    },
    start(task, failed, { signal }) {
      const stop = new AbortController()
      const both = AbortSignal.any([signal, stop.signal])
      const done: Promise<void> = task({ signal: both })
        .catch((error) => {
          if (!both.aborted) failed(error)
        })
        .finally(() => {
          if (current?.done === done) current = undefined
        })
      current = { stop, done }
    },
    stop,
  }
}
