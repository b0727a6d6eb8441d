/**
 * Runs a task for every item, concurrently. Yields the results in the order of the items. At most `atOnce` results are
 * pending or not yet consumed. Their total weight is at most `budget`, except that a heavier task may run alone. If the
 * caller leaves the loop early, waits for the tasks that have started.
 */
export async function* mapConcurrent<Item, Result>(
  items: Iterable<Item>,
  task: (item: Item) => Promise<Result>,
  limits: { atOnce: number; budget?: number; weigh?: (item: Item) => number },
): AsyncGenerator<Result> {
  const { atOnce, budget = Number.POSITIVE_INFINITY, weigh = () => 0 } = limits
  const started: { result: Promise<Result>; weight: number }[] = []
  let startedWeight = 0
  const mayStart = (weight: number) =>
    started.length === 0 || (started.length < atOnce && startedWeight + weight <= budget)
  try {
    for (const item of items) {
      const weight = weigh(item)
      while (!mayStart(weight)) {
        yield await takeFirst()
      }
      startedWeight += weight
      started.push({ result: task(item), weight })
      // A failure is thrown only when its result would be yielded. Until then, it must not count as an unhandled
      // rejection.
      started.at(-1)?.result.catch(() => {})
    }
    while (started.length > 0) yield await takeFirst()
  } finally {
    await Promise.allSettled(started.map(({ result }) => result))
  }

  async function takeFirst(): Promise<Result> {
    const [first] = started.splice(0, 1) as [(typeof started)[number]]
    startedWeight -= first.weight
    return await first.result
  }
}
