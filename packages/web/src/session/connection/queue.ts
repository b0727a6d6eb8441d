/** Values in order, for a single reader. The writer must keep the queue small. */
export interface Queue<T> {
  put(value: T): void
  /** Yields the values until the signal aborts, or the queue has ended and is empty. */
  read(options: { signal: AbortSignal }): AsyncGenerator<T>
  end(): void
}

export function createQueue<T>(): Queue<T> {
  const waiting: T[] = []
  let isEnded = false
  let wake = Promise.withResolvers<void>()
  return {
    put(value) {
      waiting.push(value)
      wake.resolve()
    },
    end() {
      isEnded = true
      wake.resolve()
    },
    async *read({ signal }) {
      const stop = () => wake.resolve()
      signal.addEventListener("abort", stop)
      try {
        while (!signal.aborted) {
          const [value] = waiting
          if (value !== undefined) {
            waiting.shift()
            yield value
          } else if (isEnded) return
          else {
            await wake.promise
            wake = Promise.withResolvers()
          }
        }
      } finally {
        signal.removeEventListener("abort", stop)
      }
    },
  }
}
