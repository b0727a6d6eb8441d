/** Background task that is stopped when other work needs the worktree. */
export interface BackgroundTask {
  readonly busy: boolean
  /** Starts a task. Calls `failed` if the task throws an error. */
  start(
    task: (options: { signal: AbortSignal }) => Promise<void>,
    failed: (error: unknown) => void,
    options: { signal: AbortSignal },
  ): void
  /** Aborts the task, and returns once it has ended. */
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
