import { getEventListeners } from "node:events"
import { AppError } from "@switchyard/core/errors"
import type { BaseEvent, Stored } from "@switchyard/core/log/event"
import { createLog, type Log } from "@switchyard/core/log/log"
import { createWakeups } from "@switchyard/core/log/notifier"
import type { Heartbeat } from "@switchyard/core/log/tail"
import type { Records } from "@switchyard/core/storage/records"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openStores } from "../../fixtures/stores.ts"
import { createManualClock, noSignal, note, spied } from "./store.ts"

let store: Awaited<ReturnType<typeof openStores>>
let time: ReturnType<typeof createManualClock>
let leave: AbortController
beforeEach(async () => {
  store = await openStores()
  time = createManualClock()
  leave = new AbortController()
})
afterEach(() => store.close())

const logOn = (records: Records, wakeups = createWakeups()) =>
  createLog({ records, blobs: store.blobs, clock: time.clock, wakeups })
const withoutWakeups = (records: Records) => createLog({ records, blobs: store.blobs, clock: time.clock })

async function append(log: Log, head: number, size = 1) {
  const events = Array.from({ length: size }, (_, i) => note(`${i}`))
  const at = { artifacts: "a/", signal: noSignal() }
  await log.append("log", head, { batchId: `bat_${head}`, writer: "test", at: 0, events }, at)
}

const place = (next: IteratorResult<Stored<BaseEvent> | Heartbeat>) =>
  next.done ? "end" : "seq" in next.value ? next.value.seq : "heartbeat"

it("gives what is there, and then what comes, at once when it is woken", async () => {
  const log = logOn(store.records)
  await append(log, 0, 2)
  const tail = log.tail("log", 1, { signal: leave.signal })
  expect(place(await tail.next())).toBe(2)
  for (let head = 2; head < 20; head++) {
    const next = tail.next()
    await append(log, head)
    // Time stands still, so only the wakeup can have caused this.
    expect(place(await next)).toBe(head + 1)
  }
  leave.abort()
  expect(place(await tail.next())).toBe("end")
})

it("can't miss what is appended between its look at the log and its wait", async () => {
  const wakeups = createWakeups()
  const log = logOn(store.records, wakeups)
  await append(log, 0)
  let looks = 0
  const racing: Records = {
    ...store.records,
    async *range(...args) {
      const look = looks++
      yield* store.records.range(...args)
      // The second range reads new events. The append comes right after the range has ended.
      if (look === 1) await append(log, 1)
    },
  }
  const tail = logOn(racing, wakeups).tail("log", 1, { signal: leave.signal })
  expect(place(await tail.next())).toBe(2)
})

it("polls where nobody wakes it: soon while events flow, easing to once a second", async () => {
  const log = withoutWakeups(store.records)
  await append(log, 0)
  const tail = log.tail("log", 0, { signal: leave.signal, heartbeatMs: 1e9 })
  expect(place(await tail.next())).toBe(1)
  const next = tail.next()
  const slept: number[] = []
  for (let polls = 0; polls < 1000; polls++) slept.push(await time.wakeNext())
  expect(slept[0]).toBeLessThanOrEqual(30)
  expect(slept).toEqual([...slept].sort((a, b) => a - b))
  expect(slept.at(-1)).toBe(1000)

  await append(log, 1)
  await time.wakeNext()
  expect(place(await next)).toBe(2)
  void tail.next()
  expect(await time.wakeNext()).toBeLessThanOrEqual(30)
  leave.abort()
})

it("reads once for all who wait at the end of the log, however many, and lets go with the last", async () => {
  const log = logOn(store.records)
  await append(log, 0)
  const wakeups = createWakeups()
  const { records, calls } = spied(store.records, () => {})
  const shared = logOn(records, wakeups)
  const tails = Array.from({ length: 100 }, () => shared.tail("log", 0, { signal: leave.signal }))
  for (const tail of tails) expect(place(await tail.next())).toBe(1)
  const nexts = tails.map((tail) => tail.next())
  while (time.sleeping() === 0) await new Promise((resolve) => setImmediate(resolve))

  const before = calls.length
  for (let head = 1; head < 10; head++) {
    const waiting = head === 1 ? nexts : tails.map((tail) => tail.next())
    await append(log, head)
    wakeups.notify("log")
    for (const next of await Promise.all(waiting)) expect(place(next)).toBe(head + 1)
  }
  expect(calls.length - before).toBeLessThan(30)
  expect(time.sleeping()).toBe(1)

  const last = tails.map((tail) => tail.next())
  leave.abort()
  for (const next of await Promise.all(last)) expect(place(next)).toBe("end")
  await new Promise((resolve) => setImmediate(resolve))
  expect(time.sleeping()).toBe(0)
})

it("has a reader that fell far behind the others read by itself", async () => {
  const log = logOn(store.records)
  await append(log, 0)
  const quick = log.tail("log", 1, { signal: leave.signal })
  const slow = log.tail("log", 0, { signal: leave.signal })
  expect(place(await slow.next())).toBe(1)
  for (let head = 1; head < 2000; head += 100) {
    const next = quick.next()
    await append(log, head, 100)
    expect(place(await next)).toBe(head + 1)
    for (let seq = head + 2; seq <= head + 100; seq++) expect(place(await quick.next())).toBe(seq)
  }
  for (let seq = 2; seq <= 2001; seq++) expect(place(await slow.next())).toBe(seq)
  leave.abort()
})

it("breaks a silence with a heartbeat, which is nowhere in the log", async () => {
  const log = withoutWakeups(store.records)
  await append(log, 0)
  const tail = log.tail("log", 0, { signal: leave.signal, heartbeatMs: 15_000 })
  expect(place(await tail.next())).toBe(1)
  for (let beats = 0; beats < 3; beats++) {
    const before = time.clock.monotonic()
    let beat: IteratorResult<Stored<BaseEvent> | Heartbeat> | undefined
    const next = tail.next().then((result) => (beat = result))
    while (!beat) {
      if (time.sleeping() > 0) await time.wakeNext()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await next).value).toEqual({ type: "heartbeat" })
    expect(time.clock.monotonic() - before).toBeGreaterThanOrEqual(15_000)
    expect(time.clock.monotonic() - before).toBeLessThan(16_100)
  }
  const next = tail.next()
  await append(log, 1)
  await time.wakeNext()
  expect(place(await next)).toBe(2)
  leave.abort()
})

it("ends by itself when it is left: while it waits, before it begins, and in the middle of a batch", async () => {
  const log = logOn(store.records)
  await append(log, 0, 5)
  const waiting = log.tail("log", 5, { signal: leave.signal })
  const next = waiting.next()
  while (time.sleeping() === 0) await new Promise((resolve) => setImmediate(resolve))
  leave.abort()
  expect(place(await next)).toBe("end")
  expect(await Array.fromAsync(log.tail("log", 0, { signal: leave.signal }))).toEqual([])

  const middle = new AbortController()
  const seen: unknown[] = []
  for await (const event of log.tail("log", 0, { signal: middle.signal })) {
    seen.push(event)
    if (seen.length === 2) middle.abort()
  }
  expect(seen).toHaveLength(2)
})

it("takes a store that is out of breath for silence, and goes on after what it saw", async () => {
  const log = logOn(store.records)
  for (const head of [0, 3, 6, 9]) await append(log, head, 3)
  let looks = 0
  const { records } = spied(store.records, () => {
    if (looks++ % 4 > 0) return
    throw new AppError("storage_unavailable", "throttled")
  })
  const torn: Records = {
    ...records,
    async *range(...args) {
      // Each range fails after two batches.
      let left = 2
      for await (const record of records.range(...args)) {
        if (left-- === 0) throw new AppError("storage_unavailable", "throttled")
        yield record
      }
    },
  }
  const tail = withoutWakeups(torn).tail("log", 1, { signal: leave.signal, heartbeatMs: 1e9 })
  for (let seq = 2; seq <= 12; seq++) {
    const next = tail.next()
    const given = next.then(() => true)
    while (!(await Promise.race([given, new Promise((resolve) => setImmediate(resolve, false))]))) {
      if (time.sleeping() > 0) await time.wakeNext()
    }
    expect(place(await next)).toBe(seq)
  }
  leave.abort()
})

it("doesn't hide any other failure", async () => {
  const log = logOn(store.records)
  await append(log, 0)
  await expect(log.tail("log", 9, { signal: leave.signal }).next()).rejects.toMatchObject({ code: "resync" })
  const { records } = spied(store.records, () => {
    throw new Error("broken")
  })
  await expect(logOn(records).tail("log", 0, { signal: leave.signal }).next()).rejects.toThrow("broken")
})

it("leaves nothing behind: no sleeper, no listener, no rejection that nobody hears", async () => {
  const unheard: unknown[] = []
  const hear = (reason: unknown) => unheard.push(reason)
  process.on("unhandledRejection", hear)
  const wakeups = createWakeups()
  const log = logOn(store.records, wakeups)
  await append(log, 0)

  const tail = log.tail("log", 0, { signal: leave.signal })
  await tail.next()
  for (let head = 1; head < 50; head++) {
    const next = tail.next()
    await append(log, head)
    await next
    expect(getEventListeners(leave.signal, "abort").length).toBeLessThan(5)
    expect(time.sleeping()).toBeLessThanOrEqual(1)
  }
  for await (const _ of log.tail("log", 0, { signal: leave.signal })) break
  const last = tail.next()
  while (time.sleeping() === 0) await new Promise((resolve) => setImmediate(resolve))
  leave.abort()
  await last

  await new Promise((resolve) => setImmediate(resolve))
  process.off("unhandledRejection", hear)
  expect(time.sleeping()).toBe(0)
  expect(getEventListeners(leave.signal, "abort")).toHaveLength(0)
  expect(unheard).toEqual([])
})
