/**
 * Yields the values of all sources until all have ended. The values of each source remain in order. The next value of a
 * source is requested only after its last one was consumed, so no source gets ahead of the reader or delays the others.
 * Leaving the loop ends all sources.
 */
export async function* merge<T>(sources: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const settled: { source: AsyncGenerator<T>; outcome: PromiseSettledResult<IteratorResult<T>> }[] = []
  let wake = Promise.withResolvers<void>()
  // Don't use `Promise.race`: it would add a callback to a silent source for each value of another source.
  const pull = (source: AsyncGenerator<T>) => {
    const settle = (outcome: PromiseSettledResult<IteratorResult<T>>) => {
      settled.push({ source, outcome })
      wake.resolve()
    }
    source.next().then(
      (value) => settle({ status: "fulfilled", value }),
      (reason) => settle({ status: "rejected", reason }),
    )
  }
  let running = sources.length
  for (const source of sources) pull(source)
  try {
    while (running > 0) {
      const next = settled.shift()
      if (!next) {
        await wake.promise
        wake = Promise.withResolvers()
        continue
      }
      if (next.outcome.status === "rejected") throw next.outcome.reason
      if (next.outcome.value.done) {
        running -= 1
        continue
      }
      yield next.outcome.value.value
      pull(next.source)
    }
  } finally {
    await Promise.all(sources.map((source) => source.return(undefined)))
  }
}
