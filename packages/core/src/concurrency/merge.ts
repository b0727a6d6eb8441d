/**
 * Yields the values of all sources until all sources have ended. The values of each source stay in order. A source is
 * asked for its next value only after its last value was consumed, so no source runs ahead of the reader or delays the
 * others. If the caller leaves the loop, all sources are ended.
 */
export async function* merge<T>(sources: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const settled: { source: AsyncGenerator<T>; outcome: PromiseSettledResult<IteratorResult<T>> }[] = []
  let wake = Promise.withResolvers<void>()
  // Don't use `Promise.race`. For each value of one source, it would add another callback to every silent source.
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
