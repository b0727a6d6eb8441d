/**
 * Everything that these sources yield, each in its own order, until all have ended. A source is pulled only once its last
 * value was taken, so none gets ahead of the reader or keeps the others waiting. Leaving the loop ends them all.
 */
export async function* merge<T>(sources: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const settled: { source: AsyncGenerator<T>; outcome: PromiseSettledResult<IteratorResult<T>> }[] = []
  let wake = Promise.withResolvers<void>()
  // Not `Promise.race`: on a source that is silent for hours, that would leave a callback behind for each of the others' values.
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
