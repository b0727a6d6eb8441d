import { AppError } from "@switchyard/core/errors"
import type { Records } from "@switchyard/core/storage/records"
import * as fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type Gate, openGate, options } from "./gate.ts"

let gate: Gate
beforeEach(async () => {
  gate = await openGate()
})
afterEach(() => gate.close())

const rate = { name: "runs", perMinute: 6 }
const take = (who = "ada", asked = rate) => gate.take(asked, who, options)

async function takeAll(who = "ada", asked = rate): Promise<number> {
  for (let taken = 0; ; taken++) if ((await take(who, asked)) > 0) return taken
}

describe("what may be done so often in a minute", () => {
  it("may be done so often at once, and then again as time passes", async () => {
    expect(await takeAll()).toBe(6)
    expect(await take()).toBe(10)
    gate.pass(9_999)
    expect(await take()).toBe(1)
    gate.pass(1)
    expect(await takeAll()).toBe(1)
    gate.pass(600_000)
    expect(await takeAll()).toBe(6)
  })

  it("counts for each by itself, and each thing by itself", async () => {
    expect(await takeAll()).toBe(6)
    expect(await takeAll("bob")).toBe(6)
    expect(await takeAll("ada", { ...rate, name: "archives" })).toBe(6)
  })

  it("is never done more often than that by callers that come at once", async () => {
    const waits = await Promise.all(Array.from({ length: 40 }, () => take()))
    expect(waits.filter((wait) => wait === 0)).toHaveLength(6)
    expect(Math.max(...waits)).toBeLessThanOrEqual(10)
  })

  it("tells a wait after which there is a turn", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 500 }), fc.nat(600_000), async (perMinute, passed) => {
        const asked = { name: "x", perMinute }
        const who = `${perMinute}-${passed}-${gate.clock.now()}`
        await takeAll(who, asked)
        gate.pass(passed)
        const more = await takeAll(who, asked)
        expect(more).toBeLessThanOrEqual(Math.min(perMinute, Math.ceil((passed / 60_000) * perMinute)))
        gate.pass((await take(who, asked)) * 1000)
        expect(await take(who, asked)).toBe(0)
      }),
      { numRuns: 30 },
    )
  })

  it("gives nothing back for a clock that goes backwards, and takes nothing", async () => {
    expect(await take()).toBe(0)
    gate.pass(-3_600_000)
    expect(await takeAll()).toBe(5)
  })

  it("isn't done while nobody can count", async () => {
    await gate.close()
    gate = await openGate((records: Records) => ({
      ...records,
      put: async () => {
        throw new AppError("storage_unavailable", "Not now.")
      },
    }))
    await expect(take()).rejects.toThrow("Not now.")
  })
})
