/**
 * Does the task for every item, some at a time, and yields the results in the order of the items. At most `atOnce` results
 * that were not taken yet exist, and at most `budget` of them by weight, or a single one. Whoever leaves early waits
 * for what was begun.
 */
export async function* ahead<Item, Result>(
  items: Iterable<Item>,
  task: (item: Item) => Promise<Result>,
  limits: { atOnce: number; budget?: number; weigh?: (item: Item) => number },
): AsyncGenerator<Result> {
  const { atOnce, budget = Number.POSITIVE_INFINITY, weigh = () => 0 } = limits
  const begun: { result: Promise<Result>; weight: number }[] = []
  let held = 0
  const mayBegin = (weight: number) => begun.length === 0 || (begun.length < atOnce && held + weight <= budget)
  try {
    for (const item of items) {
      const weight = weigh(item)
      while (!mayBegin(weight)) {
        yield await take()
      }
      held += weight
      begun.push({ result: task(item), weight })
      // Its failure is met when its turn comes; until then it is nobody's surprise.
      begun.at(-1)?.result.catch(() => {})
    }
    while (begun.length > 0) yield await take()
  } finally {
    await Promise.allSettled(begun.map(({ result }) => result))
  }

  async function take(): Promise<Result> {
    const [first] = begun.splice(0, 1) as [(typeof begun)[number]]
    held -= first.weight
    return await first.result
  }
}
