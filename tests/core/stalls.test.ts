import { setTimeout as delay } from "node:timers/promises"
import { watchForStalls } from "@switchyard/core/stalls"
import { describe, expect, it } from "vitest"

describe("a process that computes for long", () => {
  it("is told with the time that all else waited", async () => {
    const told: number[] = []
    using _watch = watchForStalls((ms) => told.push(ms))
    await delay(50)
    compute(400)
    await expect.poll(() => told).toHaveLength(1)
    expect(told[0]).toBeGreaterThan(350)
  })

  it("isn't confused with one that didn't run", async () => {
    const told: number[] = []
    using _watch = watchForStalls((ms) => told.push(ms))
    const told2: number[] = []
    using _other = watchForStalls((ms) => told2.push(ms), { limitMs: 50 })
    await delay(50)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
    // The next check has all of that behind it.
    await delay(1100)
    compute(100)
    await expect.poll(() => told2).not.toEqual([])
    expect(told).toEqual([])
  })
})

/** Computes until this process has used so much of a CPU. */
function compute(ms: number): void {
  const before = process.cpuUsage()
  for (let used = 0; used < ms * 1000; ) {
    const { user, system } = process.cpuUsage(before)
    used = user + system
  }
}
