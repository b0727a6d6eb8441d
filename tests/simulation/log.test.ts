import * as fc from "fast-check"
import { expect, it } from "vitest"
import { cases } from "../settings.ts"
import { scenarios, simulate } from "./simulate.ts"

it("keeps every promise in any interleaving of writers, readers, faults and deaths", async () => {
  const property = fc.asyncProperty(scenarios({ faultsPercent: 12 }), async (scenario) => {
    const { violations } = await simulate(scenario)
    expect(violations).toEqual([])
  })
  await fc.assert(property, { numRuns: cases({ usual: 200, deep: 5000 }) })
})

it("plays a scenario in the same way each time", async () => {
  for (const scenario of fc.sample(scenarios({ faultsPercent: 12 }), { numRuns: 20, seed: 2 })) {
    const [first, second] = [await simulate(scenario), await simulate(scenario)]
    expect(second.trace).toEqual(first.trace)
  }
})

it("brings about whatever can go wrong", async () => {
  const told = new Set<string>()
  for (const scenario of fc.sample(scenarios({ faultsPercent: 12 }), { numRuns: 200, seed: 3 })) {
    const { world } = await simulate(scenario)
    for (const attempt of world.attempts) told.add(`append ${attempt.told}`)
    for (const decision of world.decisions) told.add(`${decision.tag.split(/[\s_]/)[0]} ${decision.told}`)
  }
  const appends = ["append won", "append lost", "append nothing"]
  const decisions = ["run", "claim", "said", "commit", "cancel", "end", "note"].flatMap((what) => [
    `${what} made`,
    `${what} not made`,
  ])
  expect([...told]).toEqual(expect.arrayContaining([...appends, ...decisions, "claim nothing", "commit nothing"]))
})
