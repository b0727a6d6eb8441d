import { createLookTimes } from "@switchyard/runner/project/commands/look-times"
import { expect, it } from "vitest"
import { createManualClock } from "../../../core/log/store.ts"
import { never } from "../../../settings.ts"

const signal = never

it("come 5 s after the last one if a tool has ended since, and otherwise after 30 s", async () => {
  const { clock, wakeNext, sleeping } = createManualClock()
  const times = createLookTimes(clock)
  const slow = times.next({ signal })
  expect([await wakeNext(), await wakeNext()]).toEqual([5000, 25_000])
  await slow
  times.note()
  const soon = times.next({ signal })
  expect(await wakeNext()).toBe(5000)
  await soon
  const later = times.next({ signal })
  await wakeNext()
  times.note()
  await later
  expect(sleeping()).toBe(0)
})

it("end when the worktree is no longer served", async () => {
  const { clock, sleeping } = createManualClock()
  const over = new AbortController()
  const next = createLookTimes(clock).next({ signal: over.signal })
  over.abort()
  await next
  expect(sleeping()).toBe(0)
})
