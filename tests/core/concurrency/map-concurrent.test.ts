import { mapConcurrent } from "@switchyard/core/concurrency/map-concurrent"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("work ahead", () => {
  it("comes in order, whichever is done first, and never more of it than the limits say", async () => {
    const weights = fc.array(fc.nat(9), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(
        weights,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 20 }),
        fc.scheduler(),
        async (items, atOnce, budget, scheduler) => {
          const begun = new Set<number>()
          let most = 0
          const task = async (index: number) => {
            begun.add(index)
            most = Math.max(most, begun.size)
            const held = [...begun].reduce((sum, one) => sum + (items[one] ?? 0), 0)
            if (begun.size > 1) expect(held).toBeLessThanOrEqual(budget)
            await scheduler.schedule(Promise.resolve())
            return index
          }
          const taken: number[] = []
          const all = (async () => {
            const weigh = (index: number) => items[index] ?? 0
            for await (const index of mapConcurrent(items.keys(), task, { atOnce, budget, weigh })) {
              begun.delete(index)
              taken.push(index)
            }
          })()
          await scheduler.waitFor(all)
          expect(taken).toEqual([...items.keys()])
          expect(most).toBeLessThanOrEqual(atOnce)
          if (items.length >= atOnce && items.every((weight) => weight * atOnce <= budget)) expect(most).toBe(atOnce)
        },
      ),
    )
  })

  it("fails when its turn comes, and only after everything that was begun is over", async () => {
    let over = 0
    const task = async (item: number) => {
      // Item 2 fails long before its result is requested.
      for (let turn = item === 2 ? 2 : 0; turn < 3; turn++) await new Promise(setImmediate)
      over++
      if (item === 1) throw new Error("one")
      if (item === 2) throw new Error("two")
      return item
    }
    const taken: number[] = []
    const all = (async () => {
      for await (const item of mapConcurrent([0, 1, 2, 3, 4, 5, 6, 7], task, { atOnce: 4 })) taken.push(item)
    })()
    await expect(all).rejects.toThrow("one")
    expect(taken).toEqual([0])
    expect(over).toBe(5)
  })

  it("has room again for what was taken", async () => {
    let most = 0
    let begun = 0
    const task = async () => void begun++
    let taken = 0
    for await (const _ of mapConcurrent(Array(10).keys(), task, { atOnce: 9, budget: 2, weigh: () => 1 })) {
      most = Math.max(most, begun - ++taken)
      if (taken > 1 && taken < 9) expect(begun - taken).toBe(1)
    }
    expect(most).toBe(1)
  })

  it("begins nothing more once it is left", async () => {
    const begun: number[] = []
    const task = async (item: number) => void begun.push(item)
    for await (const _ of mapConcurrent([0, 1, 2, 3, 4, 5], task, { atOnce: 2 })) break
    expect(begun).toEqual([0, 1])
  })
})
