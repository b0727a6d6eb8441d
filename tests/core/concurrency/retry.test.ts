import { backoffMs, retry, withJitter } from "@switchyard/core/concurrency/retry"
import { describe, expect, it } from "vitest"

/** Creates a clock whose sleeps end at once, and records their lengths. */
function createWaits() {
  const waits: number[] = []
  const sleep = async (ms: number, { signal }: { signal?: AbortSignal }) => {
    waits.push(ms)
    signal?.throwIfAborted()
  }
  return { waits, clock: { sleep } }
}

describe("a retried task", () => {
  it("is run again after each wait, and its result returned", async () => {
    const { waits, clock } = createWaits()
    const attempts: number[] = []
    const task = async (attempt: number) => {
      attempts.push(attempt)
      if (attempt < 3) throw new Error("not yet")
      return "done"
    }
    const delayMs = (_error: unknown, attempt: number) => backoffMs(attempt, 50, 150)
    expect(await retry(task, { delayMs, clock })).toBe("done")
    expect(attempts).toEqual([0, 1, 2, 3])
    expect(waits).toEqual([50, 100, 150])
  })

  it("throws the error for which there is no wait", async () => {
    const { waits, clock } = createWaits()
    const errors = [new Error("first"), new Error("second")]
    const seen: unknown[] = []
    const task = async (attempt: number) => {
      throw errors[attempt]
    }
    const delayMs = (error: unknown, attempt: number) => {
      seen.push(error)
      return attempt < 1 ? 7 : undefined
    }
    await expect(retry(task, { delayMs, clock })).rejects.toBe(errors[1])
    expect(seen).toEqual(errors)
    expect(waits).toEqual([7])
  })

  it("is not run again when the signal ends a wait", async () => {
    const { clock } = createWaits()
    const stop = new AbortController()
    let runs = 0
    const task = async () => {
      runs++
      stop.abort(new Error("stopped"))
      throw new Error("failed")
    }
    await expect(retry(task, { delayMs: () => 1, clock, signal: stop.signal })).rejects.toThrow("stopped")
    expect(runs).toBe(1)
  })
})

it("doubles a wait up to its limit", () => {
  expect([0, 1, 2, 3, 40].map((attempt) => backoffMs(attempt, 25, 150))).toEqual([25, 50, 100, 150, 150])
})

it("takes at most a half off a wait", () => {
  expect([0, 0.5, 1].map((chance) => withJitter(1000, () => chance))).toEqual([500, 750, 1000])
})
