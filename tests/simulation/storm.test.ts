import * as fc from "fast-check"
import { expect, it } from "vitest"
import { cases } from "../settings.ts"
import { scenarios, simulate } from "./simulate.ts"

it("keeps every promise while almost every other call fails", async () => {
  const property = fc.asyncProperty(scenarios({ faultsPercent: 30 }), async (scenario) => {
    const { violations } = await simulate(scenario)
    expect(violations).toEqual([])
  })
  await fc.assert(property, { numRuns: cases({ usual: 200, deep: 5000 }) })
})
