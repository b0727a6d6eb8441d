import { AppError } from "@switchyard/core/errors"
import { batchSort } from "@switchyard/core/log/batch"
import type { EventHeader } from "@switchyard/core/log/event"
import { createLog, type Log } from "@switchyard/core/log/log"
import { readField } from "@switchyard/core/log/payload"
import type { Records } from "@switchyard/core/storage/records"
import { type Clock, systemClock } from "@switchyard/core/time"
import * as fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as z from "zod"
import { openStores } from "../../fixtures/stores.ts"
import { noSignal, note, spied } from "./store.ts"

let store: Awaited<ReturnType<typeof openStores>>
beforeEach(async () => {
  store = await openStores()
})
afterEach(() => store.close())

// Sleeps end at once.
const clock: Clock = { ...systemClock, sleep: async () => {} }
const logOn = (records: Records) => createLog({ records, blobs: store.blobs, clock })
const seqs = async (log: Log, name: string, since: number) =>
  (await Array.fromAsync(log.read(name, since, {}))).map(({ seq }) => seq)
const upTo = (from: number, to: number) => Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
const options = () => ({ artifacts: "artifacts/", signal: noSignal() })

function batch(id: string, size = 1) {
  const events = Array.from({ length: size }, (_, i) => note(`${id} ${i}`))
  return { batchId: `bat_${id}`, writer: "test", at: 0, events }
}

/** Appends batches of these sizes, and resolves to the head. */
async function fill(log: Log, name: string, sizes: number[], head = 0): Promise<number> {
  for (const [i, size] of sizes.entries()) {
    await log.append(name, head, batch(`${head}.${i}`, size), options())
    head += size
  }
  return head
}

/** Writes a batch at any position, like a put that arrives late. */
async function land(name: string, firstSeq: number, size: number) {
  const events = Array.from({ length: size }, () => ({ type: "late" }))
  const value = { batch_id: "bat_late", writer: "gone", at: 0, count: size, events }
  const key = { partition: name, sort: batchSort(firstSeq) }
  expect(await store.records.put(key, { value }, { ifAbsent: true })).toBe(1)
}

describe("reading", () => {
  it("gives what comes after any place, and answers resync beyond the head", async () => {
    const log = logOn(store.records)
    let logs = 0
    const everyPlace = fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 8 }), async (sizes) => {
      const name = `log ${logs++}`
      const head = await fill(log, name, sizes)
      for (let since = 0; since <= head; since++) expect(await seqs(log, name, since)).toEqual(upTo(since + 1, head))
      for (const beyond of [head + 1, head + 2, head + 100]) {
        await expect(seqs(log, name, beyond)).rejects.toMatchObject({ code: "resync", details: { begin: 1 } })
      }
    })
    await fc.assert(everyPlace, { numRuns: 25 })
  })

  it("keeps logs apart whose names begin alike", async () => {
    const log = logOn(store.records)
    const names = ["s/1/log", "s/1/log/", "s/1/logs", "s/1/lo", "s/1/log/000000000001"]
    for (const [i, name] of names.entries()) await fill(log, name, [i + 1])
    for (const [i, name] of names.entries()) expect(await seqs(log, name, 0)).toEqual(upTo(1, i + 1))
  })

  it("goes on while the log grows under it", async () => {
    const log = logOn(store.records)
    let head = await fill(log, "log", [2, 2])
    const seen: number[] = []
    for await (const { seq } of log.read("log", 1, {})) {
      seen.push(seq)
      if (head < 400) head = await fill(log, "log", [1], head)
    }
    expect(seen).toEqual(upTo(2, seen.at(-1) ?? 0))
    expect(seen.length).toBeGreaterThanOrEqual(3)
  })

  it("says that a part is missing, rather than to skip it or to look for it for ever", async () => {
    const log = logOn(store.records)
    await fill(log, "log", [2, 2, 2])
    await store.records.remove({ partition: "log", sort: batchSort(3) })
    const seen: EventHeader[] = []
    const reading = async () => {
      for await (const event of log.read("log", 0, {})) seen.push(event)
    }
    await expect(reading()).rejects.toMatchObject({ code: "internal_error", details: { after: 2 } })
    expect(seen.map(({ seq }) => seq)).toEqual([1, 2])
  })
})

describe("appending", () => {
  it("lets exactly one of many win each place", async () => {
    const log = logOn(store.records)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => log.append("log", 0, batch(`${i}`, 1 + (i % 3)), options())),
    )
    const won = outcomes.filter((placed) => placed !== undefined)
    expect(won).toHaveLength(1)
    expect(await Array.fromAsync(log.read("log", 0, {}))).toEqual(won[0]?.events)
  })

  it("takes its own batch for won, whoever lost the reply", async () => {
    const { records } = spied(store.records)
    const lossy: Records = {
      ...records,
      async put(...args) {
        await records.put(...args)
        throw new AppError("storage_unavailable", "lost")
      },
    }
    const placed = await logOn(lossy).append("log", 0, batch("mine", 2), options())
    expect(placed).toMatchObject({ firstSeq: 1, lastSeq: 2, batchId: "bat_mine" })
    expect(await seqs(logOn(store.records), "log", 0)).toEqual([1, 2])
  })

  it("tries one batch until its fate is known, and an own earlier try that lands late is the same batch", async () => {
    const late: (() => Promise<unknown>)[] = []
    const { records, calls } = spied(store.records)
    const slow: Records = {
      ...records,
      async put(...args) {
        const isFirst = late.length === 0
        late.push(() => store.records.put(...args))
        // The first put arrives just before the second.
        if (isFirst) throw new AppError("storage_unavailable", "late")
        await late[0]?.()
        return records.put(...args)
      },
    }
    expect(await logOn(slow).append("log", 0, batch("mine"), options())).toMatchObject({ batchId: "bat_mine" })
    expect(late.length).toBe(2)
    expect(calls).toContain("put")
    expect(await seqs(logOn(store.records), "log", 0)).toEqual([1])
  })

  it("that is given up may have happened, and whoever reads on finds out", async () => {
    const giveUp = new AbortController()
    const { records } = spied(store.records)
    const stalled: Records = {
      ...records,
      async put(...args) {
        await records.put(...args)
        giveUp.abort(new Error("enough"))
        throw new AppError("storage_unavailable", "lost")
      },
    }
    const given = logOn(stalled).append("log", 0, batch("mine"), { artifacts: "a/", signal: giveUp.signal })
    await expect(given).rejects.toThrow()
    const log = logOn(store.records)
    expect(await log.append("log", 0, batch("next"), options())).toBeUndefined()
    expect(await seqs(log, "log", 0)).toEqual([1])
  })

  it("gives its caller just what its readers get", async () => {
    const log = logOn(store.records)
    const events = [note("x".repeat(40_000)), note("small")]
    const placed = await log.append("log", 0, { ...batch("large"), events }, options())
    expect(await Array.fromAsync(log.read("log", 0, {}))).toEqual(placed?.events)
    expect(await store.blobs.head(`artifacts/${Object(placed?.events[0]).text.sha256}`)).toBeDefined()
  })

  it("has no text that was cut inside a character, which strict readers of JSON refuse", async () => {
    const log = logOn(store.records)
    const cut = {
      ...note("a\ud83d"),
      deep: [{ "\ude00": "b\ud83d\ude00", plain: "\\ud83d" }],
      large: "\ud83d".repeat(20_000),
    }
    const appended = await log.append("log", 0, { batchId: "bat_cut", writer: "test", at: 0, events: [cut] }, options())
    const [event] = await Array.fromAsync(log.read("log", 0, {}))
    expect(event).toEqual(appended?.events[0])
    expect(event).toMatchObject({ text: "a\ufffd", deep: [{ "\ufffd": "b😀", plain: "\\ud83d" }] })
    expect(await readField(store.blobs, (event as unknown as typeof cut).large, z.string(), {})).toBe(
      "\ufffd".repeat(20_000),
    )
  })

  it("refuses a batch of nothing, which nobody could read", async () => {
    const log = logOn(store.records)
    await expect(log.append("log", 0, batch("empty", 0), options())).rejects.toMatchObject({ code: "validation_error" })
    expect(await seqs(log, "log", 0)).toEqual([])
  })
})

describe("a log that was truncated", () => {
  it("begins with the batch that holds the place, and answers resync to whoever was before it", async () => {
    const log = logOn(store.records)
    for (let begin = 1; begin <= 9; begin++) {
      const name = `log ${begin}`
      const head = await fill(log, name, [2, 3, 1, 3])
      await log.truncate(name, begin, {})
      const first = [1, 1, 3, 3, 3, 6, 7, 7, 7][begin - 1] ?? 0
      expect(await log.begin(name, {})).toBe(first)
      for (let since = 1; since < first - 1; since++) {
        await expect(seqs(log, name, since)).rejects.toMatchObject({ code: "resync", details: { since, begin: first } })
      }
      expect(await seqs(log, name, 0)).toEqual(upTo(first, head))
      for (let since = Math.max(1, first - 1); since <= head; since++) {
        expect(await seqs(log, name, since)).toEqual(upTo(since + 1, head))
      }
      expect(await log.append(name, head, batch("more"), options())).toMatchObject({ firstSeq: head + 1 })
    }
  })

  it("always keeps its last batch, so that its head is known", async () => {
    const log = logOn(store.records)
    await fill(log, "log", [2, 2])
    await log.truncate("log", 100, {})
    expect(await log.begin("log", {})).toBe(3)
    expect(await seqs(log, "log", 0)).toEqual([3, 4])
    await log.truncate("empty", 5, {})
    expect(await log.append("empty", 0, batch("first"), options())).toMatchObject({ firstSeq: 1 })
    expect(await seqs(log, "empty", 0)).toEqual([1])
  })

  it("never shows what lands late before its beginning", async () => {
    const log = logOn(store.records)
    const head = await fill(log, "log", [2, 3, 1, 3])
    await log.truncate("log", 7, {})
    await land("log", 3, 9)
    await land("log", 1, 1)
    expect(await seqs(log, "log", 0)).toEqual(upTo(7, head))
    for (let since = 6; since <= head; since++) expect(await seqs(log, "log", since)).toEqual(upTo(since + 1, head))
    for (let since = 1; since < 6; since++) {
      await expect(seqs(log, "log", since)).rejects.toMatchObject({ code: "resync" })
    }
    await log.truncate("log", 7, {})
    expect(await store.records.get({ partition: "log", sort: batchSort(3) })).toBeUndefined()
  })

  it("is truncated to its end by the next who tries, if the first died on the way", async () => {
    const { records } = spied(store.records, (call, sort) => {
      if (call === "remove" && sort === batchSort(3)) throw new Error("died")
    })
    await fill(logOn(store.records), "log", [2, 3, 1, 3])
    await expect(logOn(records).truncate("log", 7, {})).rejects.toThrow("died")
    expect(await seqs(logOn(store.records), "log", 0)).toEqual([7, 8, 9])
    await logOn(store.records).truncate("log", 7, {})
    const kept = await Array.fromAsync(store.records.range("log"))
    expect(kept.map(({ key }) => key.sort)).toEqual(["!begin", batchSort(7)])
  })

  it("never gets back what another already removed", async () => {
    const log = logOn(store.records)
    await fill(log, "log", [2, 3, 1, 3])
    let second: Promise<void> | undefined
    const { records } = spied(store.records, async (call, sort) => {
      if (call !== "put" || sort !== "!begin" || second) return
      second = log.truncate("log", 7, {})
      await second
    })
    await logOn(records).truncate("log", 3, {})
    expect(await log.begin("log", {})).toBe(7)
    expect(await seqs(log, "log", 0)).toEqual([7, 8, 9])
  })

  it("is read from its new beginning by whoever had just begun with the old one", async () => {
    const log = logOn(store.records)
    await fill(log, "log", [2, 3, 1, 3])
    await log.truncate("log", 3, {})
    let truncated = false
    const racing: Records = {
      ...store.records,
      async *range(partition, range) {
        for await (const record of store.records.range(partition, range)) {
          yield record
          if (truncated) continue
          truncated = true
          await log.truncate("log", 6, {})
          // The range continues with what the store contains by now.
          yield* store.records.range(partition, { from: "0" })
          return
        }
      },
    }
    expect(await seqs(logOn(racing), "log", 0)).toEqual([6, 7, 8, 9])
  })

  it("sends away whoever reads on from before its beginning", async () => {
    const log = logOn(store.records)
    await fill(log, "log", [2, 3, 1, 3])
    const reading = log.read("log", 2, { batchEnd: true })
    await log.truncate("log", 7, {})
    await expect(reading.next()).rejects.toMatchObject({ code: "resync", details: { begin: 7 } })
  })
})

it("tells a caller who can't wait for ever that the store doesn't answer", async () => {
  let asked = 0
  const { records } = spied(store.records, (call) => {
    if (call === "put") asked++
    throw new AppError("storage_unavailable", "Not now.")
  })
  let slept = 0
  const sleep = async (ms: number) => {
    slept += ms
  }
  const patient = { ...clock, monotonic: () => slept, sleep }
  const log = createLog({ records, blobs: store.blobs, clock: patient, retryForMs: 150 })
  await expect(log.append("log", 0, batch("a"), options())).rejects.toMatchObject({ code: "storage_unavailable" })
  expect(asked).toBe(3)
})
