import fc from "fast-check"
import { expect, it } from "vitest"
import { columnsIn, firstColumn } from "../../../../packages/web/src/features/agents/columns.ts"

it("has room for one column at least, and for three at most", () => {
  expect([320, 759, 760, 1200, 4000].map(columnsIn)).toEqual([1, 1, 2, 3, 3])
})

it("always shows the selected agent, never leaves a column empty, and moves no further than it must", () => {
  const one = fc.record({
    before: fc.nat(20),
    columns: fc.integer({ min: 1, max: 3 }),
    count: fc.integer({ min: 1, max: 20 }),
    pick: fc.nat(),
  })
  fc.assert(
    fc.property(one, ({ before, columns, count, pick }) => {
      const at = pick % count
      const first = firstColumn({ before, at, columns, count })
      expect(at >= first && at < first + columns).toBe(true)
      expect(first + Math.min(columns, count) <= count).toBe(true)
      const fits = at >= before && at < before + columns && before + columns <= count
      if (fits) expect(first).toBe(before)
    }),
  )
})
