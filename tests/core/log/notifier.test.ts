import { getEventListeners } from "node:events"
import { createWakeups } from "@switchyard/core/log/notifier"
import { expect, it } from "vitest"

const settled = (promise: Promise<unknown>) => Promise.race([promise.then(() => true), Promise.resolve(false)])

it("wakes everybody who waits for the log, and nobody who waits for one whose name begins alike", async () => {
  const wakeups = createWakeups()
  const { signal } = new AbortController()
  const waiting = [wakeups.wait("s/1/log", 0, { signal }), wakeups.wait("s/1/log", 0, { signal })]
  const other = wakeups.wait("s/1/log2", 0, { signal })
  wakeups.notify("s/1/log")
  await Promise.all(waiting)
  expect(await settled(other)).toBe(false)
})

it("doesn't let a wait miss what came after its count was read", async () => {
  const wakeups = createWakeups()
  const seen = wakeups.count("log")
  wakeups.notify("log")
  await wakeups.wait("log", seen, { signal: new AbortController().signal })
  expect(await settled(wakeups.wait("log", wakeups.count("log"), { signal: new AbortController().signal }))).toBe(false)
})

it("ends a wait that is given up, and keeps nothing of it", async () => {
  const wakeups = createWakeups()
  const leaving = new AbortController()
  const wait = wakeups.wait("log", 0, { signal: leaving.signal })
  expect(getEventListeners(leaving.signal, "abort")).toHaveLength(1)
  leaving.abort()
  await wait
  await wakeups.wait("log", 0, { signal: leaving.signal })
  expect(getEventListeners(leaving.signal, "abort")).toHaveLength(0)

  const staying = new AbortController()
  const woken = wakeups.wait("log", 0, { signal: staying.signal })
  wakeups.notify("log")
  await woken
  expect(getEventListeners(staying.signal, "abort")).toHaveLength(0)
})
