import type { Records } from "@switchyard/core/storage/records"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../settings.ts"
import { type SlotScenario, type SlotVariant, simulateSlots } from "./slots.ts"

const rate = (max: number) => fc.integer({ min: 0, max }).map((percent) => percent / 100)
const often = rate(8)

const scenarios: fc.Arbitrary<SlotScenario> = fc.record({
  seed: fc.noShrink(fc.integer({ min: 1, max: 2 ** 31 })),
  faults: fc.record({ lost: often, dropped: often, late: often, stalled: often }),
  owners: fc.array(fc.constantFrom("ada", "bob"), { minLength: 2, maxLength: 6 }),
  total: fc.integer({ min: 1, max: 3 }),
  perOwner: fc.integer({ min: 1, max: 3 }),
  events: fc.record({ lost: rate(60), doubled: rate(60), late: rate(60) }),
  mortality: rate(2),
})

const variants: Record<string, { variant: SlotVariant; seen: RegExp }> = {
  "are given twice": {
    variant: { records: (records) => ({ ...records, put: putWithoutCondition(records) }) },
    seen: /given twice/,
  },
  leak: { variant: { checks: false }, seen: /leaks/ },
}

describe("the slots of a stage", () => {
  it("are given to one session at a time, freed within a minute, and given to everyone in the end", async () => {
    const property = fc.asyncProperty(scenarios, async (scenario) => {
      expect(await simulateSlots(scenario)).toEqual([])
    })
    await fc.assert(property, { numRuns: cases({ usual: 60, deep: 3000 }) })
  })

  it.each(Object.entries(variants))("would be seen if they %s", async (_what, { variant, seen }) => {
    expect(await isSeen(variant, seen)).toBe(true)
  })
})

async function isSeen(variant: SlotVariant, seen: RegExp): Promise<boolean> {
  for (const scenario of fc.sample(scenarios, { numRuns: 300, seed: 1 })) {
    const wrong = await simulateSlots({ ...scenario, events: { lost: 0.5, doubled: 0.5, late: 0.5 } }, variant)
    if (wrong.some((one) => seen.test(one))) return true
  }
  return false
}

function putWithoutCondition(records: Records): Records["put"] {
  return (key, body, { signal } = {}) => records.put(key, body, { signal })
}
