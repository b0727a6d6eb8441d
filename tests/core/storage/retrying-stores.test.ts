import { AppError } from "@switchyard/core/errors"
import type { Records } from "@switchyard/core/storage/records"
import { createPatientRecords, createRetryingStores } from "@switchyard/core/storage/retrying-stores"
import { type Clock, systemClock } from "@switchyard/core/time"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openStores, type Stores } from "../../fixtures/stores.ts"

const waits: number[] = []
const clock: Clock = {
  ...systemClock,
  async sleep(ms, { signal }) {
    signal?.throwIfAborted()
    waits.push(ms)
  },
}
const key = { partition: "p", sort: "a" }

let stores: Stores
let failures: number
beforeEach(async () => {
  stores = await openStores()
  failures = 0
  waits.length = 0
})
afterEach(() => stores.close())

it("asks again until the store answers, ever more slowly", async () => {
  const { records } = patient()
  failures = 8
  await records.put(key, { value: { n: 1 } })
  failures = 2
  expect((await records.get(key))?.value).toEqual({ n: 1 })
  expect(waits.slice(0, 8)).toEqual([50, 100, 200, 400, 800, 1600, 2000, 2000])
})

it("leaves a put under a condition to the caller, who must find out what became of it", async () => {
  const { records } = patient()
  failures = 1
  await expect(records.put(key, { value: {} }, { ifAbsent: true })).rejects.toMatchObject({
    code: "storage_unavailable",
  })
  failures = 1
  await expect(records.remove(key, { ifVersion: 1 })).rejects.toMatchObject({ code: "storage_unavailable" })
})

it("repeats a call under a condition for a caller that looks for its own record, after a random time", async () => {
  const records = createPatientRecords({ records: tiredStores().records, clock, random: () => 0 })
  failures = 2
  expect(await records.put(key, { value: {} }, { ifAbsent: true })).toBe(1)
  failures = 1
  expect(await records.remove(key, { ifVersion: 1 })).toBe(true)
  expect(waits).toEqual([25, 50, 25])
})

it.each([
  [{}, ["a", "b", "c", "d", "e"]],
  [{ reverse: true }, ["e", "d", "c", "b", "a"]],
  [{ limit: 4 }, ["a", "b", "c", "d"]],
  [{ reverse: true, limit: 3, to: "d" }, ["d", "c", "b"]],
  [{ from: "b", to: "d" }, ["b", "c", "d"]],
])("goes on in a range that broke off, with each record once (%j)", async (options, expected) => {
  for (const sort of ["a", "b", "c", "d", "e"]) await stores.records.put({ partition: "p", sort }, { value: {} })
  for (let before = 0; before <= expected.length; before++) {
    const { records } = patient({ breakAfter: before })
    const found = await Array.fromAsync(records.range("p", options))
    expect(found.map((record) => record.key.sort)).toEqual(expected)
  }
})

it("gives up when the caller does, and lets other errors through at once", async () => {
  const { records, blobs } = patient()
  failures = 1
  await expect(records.get(key, { signal: AbortSignal.abort(new Error("left")) })).rejects.toThrow()
  await expect(records.get({ partition: "", sort: "a" })).rejects.toMatchObject({ code: "validation_error" })
  failures = 3
  await blobs.put("b", Buffer.from("bytes"))
  expect(await blobs.head("b")).toMatchObject({ sizeBytes: 5 })
})

function patient(options?: { breakAfter: number }) {
  return createRetryingStores(tiredStores(options), clock)
}

/** Wraps stores so that the next `failures` calls fail, and the first range fails after `breakAfter` records. */
function tiredStores({ breakAfter }: { breakAfter?: number } = {}) {
  const tired = () => {
    if (failures-- > 0) throw new AppError("storage_unavailable", "Not now.")
  }
  let broken = false
  const records: Records = {
    ...stores.records,
    async get(...args) {
      tired()
      return stores.records.get(...args)
    },
    async put(...args) {
      tired()
      return stores.records.put(...args)
    },
    async remove(...args) {
      tired()
      return stores.records.remove(...args)
    },
    async *range(partition, options) {
      let seen = 0
      for await (const record of stores.records.range(partition, options)) {
        if (seen++ === breakAfter && !broken) {
          broken = true
          throw new AppError("storage_unavailable", "Not now.")
        }
        yield record
      }
    },
  }
  const blobs = {
    ...stores.blobs,
    async put(...args: Parameters<typeof stores.blobs.put>) {
      tired()
      return stores.blobs.put(...args)
    },
  }
  return { records, blobs }
}
