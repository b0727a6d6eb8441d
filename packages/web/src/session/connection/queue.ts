/** Values in order, for one reader. Its writer sees to it that it stays small. */
export interface Queue<T> {
  put(value: T): void
  /** The values, until the signal aborts or the queue is ended and empty. */
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
