import { Refused, Unreachable } from "switchyard/errors/errors"
import { createRetryPolicy } from "switchyard/server/retry"
import { expect, it } from "vitest"

const options = { signal: new AbortController().signal }

function arrange(random = () => 0.5) {
  const waits: number[] = []
  const notices: string[] = []
  let now = 0
  const clock = {
    now: () => now,
    monotonic: () => now,
    async sleep(ms: number) {
      waits.push(ms)
      now += ms
    },
  }
  const retries = createRetryPolicy({ clock, random, outageMs: 60_000, notice: (text) => void notices.push(text) })
  return { retries, waits, notices, elapsed: () => now }
}

const failing = (times: number) => async () => {
  if (times-- > 0) throw new Unreachable("Gone.")
  return "answer"
}

it("gives up soon on a server that never answered", async () => {
  const { retries, waits, notices } = arrange()
  await expect(retries.retry(failing(99), options)).rejects.toThrow("Gone.")
  expect(waits).toEqual([150, 300, 600])
  expect(notices).toEqual([])
})

it("waits out the outage of a server that it knows, and says so once", async () => {
  const { retries, notices } = arrange()
  retries.recordAnswer()
  expect(await retries.retry(failing(8), options)).toBe("answer")
  expect(notices).toEqual(["Gone. Trying again.", "Reconnected."])
})

it("is silent about an outage that is over at once", async () => {
  const { retries, notices } = arrange()
  retries.recordAnswer()
  await retries.retry(failing(2), options)
  expect(notices).toEqual([])
})

it("gives up when an outage has lasted too long, and not before", async () => {
  const { retries, elapsed } = arrange()
  retries.recordAnswer()
  await expect(retries.retry(failing(99), options)).rejects.toThrow("Gone.")
  expect(elapsed()).toBeGreaterThan(45_000)
  expect(elapsed()).toBeLessThanOrEqual(60_000)
})

it("counts each outage from its own beginning", async () => {
  const { retries } = arrange()
  retries.recordAnswer()
  for (let i = 0; i < 10; i++) expect(await retries.retry(failing(8), options)).toBe("answer")
})

it("spreads the tries of many clients", async () => {
  const early = arrange(() => 0)
  const late = arrange(() => 0.999)
  await early.retries.retry(failing(1), options)
  await late.retries.retry(failing(1), options)
  expect(early.waits).toEqual([100])
  expect(late.waits[0]).toBeCloseTo(200, 0)
})

it("waits as long as the server asked for", async () => {
  const { retries, waits } = arrange()
  const faults = [new Unreachable("Busy.", { retryAfterMs: 5000 })]
  await retries.retry(async () => {
    const fault = faults.shift()
    if (fault) throw fault
  }, options)
  expect(waits).toEqual([5000])
})

it("says at once that it waits long, and for no longer than an outage, though nothing else was heard of the server", async () => {
  const { retries, waits, notices } = arrange()
  const busy = async () => {
    throw new Unreachable("Busy.", { retryAfterMs: 25_000 })
  }
  await expect(retries.retry(busy, options)).rejects.toThrow("Busy.")
  expect(waits).toEqual([25_000, 25_000])
  expect(notices).toEqual(["Busy. Trying again."])
})

it("never asks twice for what was refused", async () => {
  const { retries, waits } = arrange()
  let asked = 0
  const task = async () => {
    asked += 1
    throw new Refused(404, "run_not_found", "No.")
  }
  await expect(retries.retry(task, options)).rejects.toThrow("No.")
  expect([asked, waits.length]).toEqual([1, 0])
})
