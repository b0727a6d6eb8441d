import type { Clock } from "@switchyard/core/time"
import { createIdleTime } from "@switchyard/runner/serving/idle-time"
import { expect, it } from "vitest"

/** Returns the seconds until a runner without work ends, if shells are open for the first `shellsUntil` seconds. */
async function secondsWith(shellsUntil: number, { yielding = false } = {}): Promise<number> {
  let now = 0
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    async sleep(ms: number) {
      now += ms
    },
  }
  const limits = { idleMs: 30_000, ...(yielding && { yielding: AbortSignal.abort() }) }
  const idle = createIdleTime(clock, limits, { isBusy: () => false, hasShells: () => now < shellsUntil * 1000 })
  await idle.untilSpent({ signal: new AbortController().signal })
  return now / 1000
}

it("lasts longer while a shell is open that nobody watches, unless another session waits", async () => {
  expect(await secondsWith(0)).toBe(30)
  expect(await secondsWith(1000)).toBe(300)
  expect(await secondsWith(100)).toBe(120)
  expect(await secondsWith(1000, { yielding: true })).toBe(1)
})
