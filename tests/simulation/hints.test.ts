import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../settings.ts"
import { type HintScenario, type HintVariant, simulateHints } from "./hints.ts"

const rate = (max: number) => fc.integer({ min: 0, max }).map((percent) => percent / 100)
const often = rate(8)

const scenarios: fc.Arbitrary<HintScenario> = fc.record({
  seed: fc.noShrink(fc.integer({ min: 1, max: 2 ** 31 })),
  faults: fc.record({ lost: often, dropped: often, late: often, stalled: often }),
  workflows: fc.integer({ min: 0, max: 2 }),
  agents: fc.integer({ min: 0, max: 2 }),
  sweepers: fc.integer({ min: 0, max: 2 }),
  requests: fc.integer({ min: 0, max: 2 }),
  mortality: rate(3),
})

describe("due hints, where executors write none", () => {
  it("stand for every active run and every save, at each moment, whoever dies, and are gone after them", async () => {
    const property = fc.asyncProperty(scenarios, async (scenario) => {
      expect(await simulateHints(scenario)).toEqual([])
    })
    await fc.assert(property, { numRuns: cases({ usual: 100, deep: 2000 }) })
  })

  it("would be missed", async () => {
    for (const [name, variant] of Object.entries(variants))
      expect([name, await firstFault(variant)]).not.toEqual([name, undefined])
  })
})

async function firstFault(variant: HintVariant): Promise<string | undefined> {
  for (const scenario of fc.sample(scenarios, { numRuns: 300, seed: 1 })) {
    const [first] = await simulateHints({ ...scenario, agents: 2, sweepers: 2, mortality: 0.01 }, variant)
    if (first) return first
  }
  return undefined
}

const variants: Record<string, HintVariant> = {
  "of runs that the sweep finds at work": {
    sweep: (deps) => ({
      ...deps,
      due: {
        ...deps.due,
        add: async (subject, at) => ({ subject, at, key: { partition: "due", sort: "none" }, version: 1 }),
      },
    }),
  },
  "of files that a runner saves after its run": { sweep: (deps) => ({ ...deps, sweepWorktree: async () => {} }) },
}
