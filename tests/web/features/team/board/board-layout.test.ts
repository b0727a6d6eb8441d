import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { placeNodes } from "../../../../../packages/web/src/features/team/board/board-layout.ts"

/** Nodes that each depend on some earlier ones. */
const nodes = fc.array(fc.array(fc.nat(30), { maxLength: 4 }), { maxLength: 40 }).map((all) =>
  all.map((dependencies, at) => ({
    id: `n${at}`,
    dependencies: [...new Set(dependencies.filter((other) => other < at))].map((other) => `n${other}`),
  })),
)

describe("the board of a team", () => {
  it("has each node right of those that it depends on, and no two in one place", () => {
    fc.assert(
      fc.property(nodes, fc.infiniteStream(fc.nat()), (all, keys) => {
        // A node can be moved before its dependencies.
        const order = all.map((node) => ({ node, key: keys.next().value })).sort((a, b) => a.key - b.key)
        const places = placeNodes(order.map(({ node }) => node))
        for (const { id, dependencies } of all) {
          for (const before of dependencies) {
            expect(places.get(before)?.column).toBeLessThan(places.get(id)?.column ?? -1)
          }
        }
        const taken = [...places.values()].map(({ column, row }) => `${column} ${row}`)
        expect(new Set(taken).size).toBe(all.length)
      }),
    )
  })
})
