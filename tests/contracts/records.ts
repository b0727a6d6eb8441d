import { isAppError } from "@switchyard/core/errors"
import { MAX_RECORD_BYTES, recordSize } from "@switchyard/core/storage/limits"
import type { Json, RangeOptions, RecordKey, Records, StoredRecord } from "@switchyard/core/storage/records"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

export interface RecordStore {
  records: Records
  /**
   * True for an emulator that compares range bounds by UTF-16 code units and rejects ranges that are reversed in that
   * order.
   */
  boundsInUtf16?: true
  close(): Promise<void>
}

/** Registers the tests that every implementation of `Records` must pass. `open` resolves to an empty store. */
export function recordsContract(name: string, open: () => Promise<RecordStore>) {
  describe(`records contract: ${name}`, () => {
    let store: RecordStore
    let records: Records
    let partitions = 0

    beforeAll(async () => {
      store = await open()
      records = store.records
    })
    afterAll(() => store?.close())

    const newPartition = () => `s/${++partitions}/log`
    const newKey = (sort = "a"): RecordKey => ({ partition: newPartition(), sort })

    async function fill(partition: string, sorts: string[]) {
      for (const sort of sorts) await records.put({ partition, sort }, { value: { sort } })
    }
    const sorts = async (partition: string, options?: RangeOptions) =>
      (await Array.fromAsync(records.range(partition, options))).map((record) => record.key.sort)

    describe("a record", () => {
      it("is undefined until it is put", async () => {
        expect(await records.get(newKey())).toBeUndefined()
      })

      it("comes back with its key, its value, its bytes and its version", async () => {
        const key = newKey()
        const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
        expect(await records.put(key, { value: { n: 1 }, bytes })).toBe(1)
        const found = await records.get(key)
        expect(found).toEqual({ key, version: 1, value: { n: 1 }, bytes: expect.any(Uint8Array) })
        expect([...(found?.bytes ?? [])]).toEqual([...bytes])
      })

      it("tells empty bytes from none", async () => {
        const [empty, none] = [newKey(), newKey()]
        await records.put(empty, { value: {}, bytes: new Uint8Array() })
        await records.put(none, { value: {} })
        expect((await records.get(empty))?.bytes).toHaveLength(0)
        expect(await records.get(none)).not.toHaveProperty("bytes")
      })

      it("loses its bytes with a put that has none", async () => {
        const key = newKey()
        await records.put(key, { value: {}, bytes: new Uint8Array([1]) })
        await records.put(key, { value: {} })
        expect(await records.get(key)).toEqual({ key, version: 2, value: {} })
      })

      it.each<[string, { [key: string]: Json }]>([
        ["nothing at all", {}],
        ["empty strings, lists and objects", { "": "", list: [], object: {}, "nested.name": { "": [[""]] } }],
        ["every kind of JSON", { null: null, yes: true, no: false, list: [null, 1, "a", { b: [] }] }],
        ["text beyond the basic plane, controls and lone surrogates", { text: '😀\0\u2028\uffff\ud800é\r\n"\\' }],
        [
          "numbers that a decimal store would bend",
          { max: Number.MAX_VALUE, min: 5e-324, big: 2 ** 53 + 2, tenth: 0.1 + 0.2 },
        ],
        ["names that objects have", JSON.parse('{"__proto__": {"a": 1}, "constructor": "x"}')],
        ["deep nesting", { deep: JSON.parse("[".repeat(200) + "]".repeat(200)) }],
      ])("holds %s", async (_, value) => {
        const key = newKey()
        await records.put(key, { value })
        expect((await records.get(key))?.value).toStrictEqual(value)
      })

      it("holds any JSON, with 0 for -0", async () => {
        const key = newKey()
        await fc.assert(
          fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<Json>), async (value) => {
            await records.put(key, { value })
            expect((await records.get(key))?.value).toStrictEqual(JSON.parse(JSON.stringify(value)))
          }),
          { numRuns: 50 },
        )
      })

      it("may have an expiry that has not come", async () => {
        const key = newKey()
        await records.put(key, { value: {} }, { expiresAt: Math.floor(Date.now() / 1000) + 3600 })
        expect(await records.get(key)).toMatchObject({ version: 1 })
      })

      it("is another under every different key, however similar", async () => {
        const [a, b] = ["x", "x/y"].map((rest) => `${newPartition()}/${rest}`) as [string, string]
        const keys = [
          { partition: a, sort: "b" },
          { partition: b, sort: "b" },
          { partition: a, sort: "B" },
          { partition: a, sort: "b " },
          { partition: a, sort: "b\0" },
          { partition: a, sort: "é" },
          { partition: a, sort: "e\u0301" },
        ]
        for (const [index, key] of keys.entries()) await records.put(key, { value: { index } }, { ifAbsent: true })
        const found = await Promise.all(keys.map((key) => records.get(key)))
        expect(found.map((record) => record?.value.index)).toEqual([0, 1, 2, 3, 4, 5, 6])
      })
    })

    describe("a condition", () => {
      it("puts if absent once", async () => {
        const key = newKey()
        expect(await records.put(key, { value: { n: 1 } }, { ifAbsent: true })).toBe(1)
        expect(await records.put(key, { value: { n: 2 } }, { ifAbsent: true })).toBeUndefined()
        expect(await records.get(key)).toMatchObject({ version: 1, value: { n: 1 } })
      })

      it("puts only over the version that it names", async () => {
        const key = newKey()
        expect(await records.put(key, { value: {} }, { ifVersion: 1 })).toBeUndefined()
        await records.put(key, { value: {} })
        expect(await records.put(key, { value: { n: 2 } }, { ifVersion: 1 })).toBe(2)
        expect(await records.put(key, { value: { n: 3 } }, { ifVersion: 1 })).toBeUndefined()
        expect(await records.put(key, { value: { n: 3 } }, { ifVersion: 3 })).toBeUndefined()
        expect(await records.get(key)).toMatchObject({ version: 2, value: { n: 2 } })
      })

      it("does not take version 0 for absence", async () => {
        const key = newKey()
        expect(await records.put(key, { value: {} }, { ifVersion: 0 })).toBeUndefined()
        expect(await records.get(key)).toBeUndefined()
      })

      it("removes only the version that it names", async () => {
        const key = newKey()
        await records.put(key, { value: {} })
        expect(await records.remove(key, { ifVersion: 2 })).toBe(false)
        expect(await records.get(key)).toBeDefined()
        expect(await records.remove(key, { ifVersion: 1 })).toBe(true)
        expect(await records.get(key)).toBeUndefined()
        expect(await records.remove(key, { ifVersion: 1 })).toBe(false)
      })

      it("is not needed to remove, even what isn't there", async () => {
        const key = newKey()
        await records.put(key, { value: {} })
        expect(await records.remove(key)).toBe(true)
        expect(await records.remove(key)).toBe(true)
        expect(await records.get(key)).toBeUndefined()
      })

      it("counts from 1 again after a removal", async () => {
        const key = newKey()
        await records.put(key, { value: {} })
        await records.put(key, { value: {} })
        await records.remove(key)
        expect(await records.put(key, { value: {} }, { ifAbsent: true })).toBe(1)
      })

      it("lets exactly one of 50 writers put what is absent", async () => {
        const key = newKey()
        const writers = Array.from({ length: 50 }, (_, writer) => writer)
        const versions = await Promise.all(
          writers.map((writer) => records.put(key, { value: { writer } }, { ifAbsent: true })),
        )
        const winners = writers.filter((writer) => versions[writer] !== undefined)
        expect(winners).toHaveLength(1)
        expect((await records.get(key))?.value).toEqual({ writer: winners[0] })
      })

      it("lets exactly one of 50 writers put over a version", async () => {
        const key = newKey()
        await records.put(key, { value: {} })
        const writers = Array.from({ length: 50 }, (_, writer) => writer)
        const versions = await Promise.all(
          writers.map((writer) => records.put(key, { value: { writer } }, { ifVersion: 1 })),
        )
        expect(versions.filter((version) => version !== undefined)).toEqual([2])
        expect((await records.get(key))?.value).toEqual({ writer: versions.indexOf(2) })
      })

      it("loses no increment of 20 writers that try until they win", async () => {
        const key = newKey()
        const increment = async (): Promise<void> => {
          const found = await records.get(key)
          const n = ((found?.value.n as number | undefined) ?? 0) + 1
          const won = await records.put(
            key,
            { value: { n } },
            found ? { ifVersion: found.version } : { ifAbsent: true },
          )
          if (won === undefined) return increment()
        }
        await Promise.all(Array.from({ length: 20 }, increment))
        expect(await records.get(key)).toMatchObject({ version: 20, value: { n: 20 } })
      })

      it("is not needed to put: every one of 20 writers succeeds and counts", async () => {
        const key = newKey()
        const puts = Array.from({ length: 20 }, (_, writer) => records.put(key, { value: { writer } }))
        const versions = (await Promise.all(puts)) as number[]
        expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
        expect((await records.get(key))?.value).toEqual({ writer: versions.indexOf(20) })
      })
    })

    describe("a range", () => {
      it("is empty where nothing was put", async () => {
        expect(await sorts(newPartition())).toEqual([])
      })

      it("holds one partition's whole records, in order", async () => {
        const partition = newPartition()
        await records.put({ partition, sort: "b" }, { value: { n: 2 }, bytes: new Uint8Array([2]) })
        await records.put({ partition, sort: "a" }, { value: { n: 1 } })
        await records.put({ partition: `${partition}0`, sort: "c" }, { value: {} })
        const found = await Array.fromAsync(records.range(partition))
        expect(found.map(({ bytes, ...record }) => ({ ...record, bytes: bytes && [...bytes] }))).toEqual([
          { key: { partition, sort: "a" }, version: 1, value: { n: 1 } },
          { key: { partition, sort: "b" }, version: 1, value: { n: 2 }, bytes: [2] },
        ])
      })

      it("has inclusive bounds, a limit, and a reverse", async () => {
        const partition = newPartition()
        await fill(partition, ["a", "b", "c", "d", "e"])
        expect(await sorts(partition, { from: "b" })).toEqual(["b", "c", "d", "e"])
        expect(await sorts(partition, { to: "b" })).toEqual(["a", "b"])
        expect(await sorts(partition, { from: "b", to: "d" })).toEqual(["b", "c", "d"])
        expect(await sorts(partition, { from: "aa", to: "cc" })).toEqual(["b", "c"])
        expect(await sorts(partition, { from: "c", to: "c" })).toEqual(["c"])
        expect(await sorts(partition, { from: "d", to: "b" })).toEqual([])
        expect(await sorts(partition, { limit: 2 })).toEqual(["a", "b"])
        expect(await sorts(partition, { limit: 0 })).toEqual([])
        expect(await sorts(partition, { limit: 9 })).toEqual(["a", "b", "c", "d", "e"])
        expect(await sorts(partition, { reverse: true })).toEqual(["e", "d", "c", "b", "a"])
        expect(await sorts(partition, { reverse: true, limit: 1 })).toEqual(["e"])
        expect(await sorts(partition, { reverse: true, from: "b", to: "d", limit: 2 })).toEqual(["d", "c"])
      })

      it("orders by UTF-8 bytes, whatever the text", async () => {
        const character = fc.oneof(
          fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
          fc.constantFrom(
            "\0",
            "a",
            "~",
            "\u007f",
            "\u0080",
            "\u07ff",
            "\u0800",
            "\ud7ff",
            "\ue000",
            "\uffff",
            "\u{10000}",
            "😀",
            "\u{10ffff}",
          ),
        )
        const text = fc.array(character, { minLength: 1, maxLength: 4 }).map((characters) => characters.join(""))
        const bounds = fc.record({ from: fc.option(text, { nil: undefined }), to: fc.option(text, { nil: undefined }) })
        await fc.assert(
          fc.asyncProperty(
            fc.uniqueArray(text, { maxLength: 12 }),
            bounds,
            fc.boolean(),
            async (texts, bound, reverse) => {
              const { from = "", to = "" } = bound
              fc.pre(!store.boundsInUtf16 || from > to === bytewise(from, to) > 0)
              const partition = newPartition()
              await fill(partition, texts)
              const within = texts
                .filter((sort) => bound.from === undefined || bytewise(sort, bound.from) >= 0)
                .filter((sort) => bound.to === undefined || bytewise(sort, bound.to) <= 0)
                .toSorted(bytewise)
              expect(await sorts(partition, { ...bound, reverse })).toEqual(reverse ? within.toReversed() : within)
            },
          ),
          { numRuns: 40, examples: [[["\uffff", "😀", "\ue000"], { from: undefined, to: undefined }, false]] },
        )
      })

      it("goes on beyond what one page of the store holds, both ways and up to a limit", async () => {
        const partition = newPartition()
        const keys = Array.from({ length: 24 }, (_, index) => String(index).padStart(4, "0"))
        const big = "x".repeat(200_000)
        for (const sort of keys)
          await records.put({ partition, sort }, { value: { big }, bytes: new Uint8Array(50_000) })
        expect(await sorts(partition)).toEqual(keys)
        expect(await sorts(partition, { reverse: true })).toEqual(keys.toReversed())
        expect(await sorts(partition, { limit: 20 })).toEqual(keys.slice(0, 20))
        expect(await sorts(partition, { from: "0001", to: "0022", reverse: true, limit: 21 })).toEqual(
          keys.slice(2, 23).toReversed(),
        )
      })

      it("may be left early, and written to by who reads it", async () => {
        const partition = newPartition()
        await fill(
          partition,
          Array.from({ length: 50 }, (_, index) => `k${String(index).padStart(2, "0")}`),
        )
        for await (const record of records.range(partition)) {
          if (record.key.sort === "k03") break
        }
        const seen: StoredRecord[] = []
        for await (const record of records.range(partition)) {
          seen.push(record)
          await records.put(record.key, { value: { seen: true } }, { ifVersion: record.version })
          await records.remove({ partition, sort: "k00" })
        }
        expect(seen).toHaveLength(50)
        expect(await sorts(partition)).toHaveLength(49)
      })

      it("shows at once what was just put or removed", async () => {
        const partition = newPartition()
        for (let n = 0; n < 20; n++) {
          await records.put({ partition, sort: "a" }, { value: { n } })
          expect((await Array.fromAsync(records.range(partition)))[0]?.value).toEqual({ n })
        }
        await records.remove({ partition, sort: "a" })
        expect(await sorts(partition)).toEqual([])
      })
    })

    describe("a list", () => {
      const listed = async (list: string, options?: RangeOptions) =>
        (await Array.fromAsync(records.byList(list, options))).map((record) => record.key.sort)

      it("holds records of many partitions, in its own order, whole", async () => {
        const list = newPartition()
        const keys = ["x", "y", "z"].map((sort) => newKey(sort))
        for (const [index, key] of keys.entries()) {
          const body = { value: { index }, bytes: new Uint8Array([index]) }
          await records.put(key, body, { listed: { list, order: `${9 - index}` } })
        }
        expect(await listed(list)).toEqual(["z", "y", "x"])
        expect(await listed(list, { from: "8", to: "9", reverse: true })).toEqual(["x", "y"])
        expect(await listed(list, { from: "9", to: "8" })).toEqual([])
        expect(await listed(list, { limit: 1 })).toEqual(["z"])
        const [first] = await Array.fromAsync(records.byList(list))
        expect(first).toMatchObject({ key: keys[2], version: 1, value: { index: 2 } })
        expect([...(first?.bytes ?? [])]).toEqual([2])
      })

      it("follows the record's last put", async () => {
        const key = newKey()
        const [first, second] = [newPartition(), newPartition()]
        await records.put(key, { value: {} }, { listed: { list: first, order: "1" } })
        await records.put(key, { value: {} }, { listed: { list: second, order: "1" } })
        expect([await listed(first), await listed(second)]).toEqual([[], ["a"]])
        await records.put(key, { value: {} }, { ifVersion: 2 })
        expect(await listed(second)).toEqual([])
        await records.put(key, { value: {} }, { listed: { list: first, order: "1" } })
        await records.remove(key)
        expect(await listed(first)).toEqual([])
      })

      it("is not changed by a put that lost", async () => {
        const key = newKey()
        const list = newPartition()
        await records.put(key, { value: {} }, { listed: { list, order: "1" } })
        await records.put(key, { value: {} }, { ifAbsent: true, listed: { list: `${list}!`, order: "1" } })
        await records.put(key, { value: {} }, { ifVersion: 7 })
        expect([await listed(list), await listed(`${list}!`)]).toEqual([["a"], []])
      })

      it("shows all records of the same order, across pages", async () => {
        const list = newPartition()
        const partition = newPartition()
        const big = "x".repeat(300_000)
        const keys = Array.from({ length: 10 }, (_, index) => `${index}`)
        for (const sort of keys) {
          await records.put({ partition, sort }, { value: { big } }, { listed: { list, order: "same" } })
        }
        expect((await listed(list)).toSorted()).toEqual(keys)
        expect((await listed(list, { reverse: true })).toSorted()).toEqual(keys)
      })
    })

    describe("a limit", () => {
      const listed = { list: "list", order: "order" }
      const overhead = (key: RecordKey) => recordSize(key, JSON.stringify({ text: "" }), { value: {} }, listed)

      it("is 400 KB, to the byte", async () => {
        const key = newKey()
        const text = "é".repeat((MAX_RECORD_BYTES - overhead(key) - 1000) / 2)
        const bytes = (extra: number) =>
          new Uint8Array(MAX_RECORD_BYTES - overhead(key) - Buffer.byteLength(text) + extra)
        const expiresAt = 2 ** 40 + 1
        expect(await records.put(key, { value: { text }, bytes: bytes(0) }, { listed, expiresAt })).toBe(1)
        const tooLarge = records.put(key, { value: { text }, bytes: bytes(1) }, { listed, expiresAt })
        await expect(tooLarge).rejects.toSatisfy((error) => isAppError(error, "storage_too_large"))
        expect(await records.get(key)).toMatchObject({ version: 1, value: { text } })
      })

      it("allows 1,024 bytes of partition and 512 of sort, and no more", async () => {
        const longest = { partition: `${newPartition()}`.padEnd(1024, "p"), sort: "é".repeat(256) }
        expect(
          await records.put(longest, { value: {} }, { listed: { list: "l".repeat(1024), order: "o".repeat(512) } }),
        ).toBe(1)
        expect(await records.get(longest)).toMatchObject({ key: longest })
        expect(await sorts(longest.partition, { from: longest.sort, to: longest.sort })).toEqual([longest.sort])
        await expectRefused(records.put({ ...longest, partition: `${longest.partition}p` }, { value: {} }))
        await expectRefused(records.put({ ...longest, sort: `${longest.sort}s` }, { value: {} }))
      })

      it.each([
        ["an empty partition", { partition: "", sort: "a" }],
        ["an empty sort", { partition: "a", sort: "" }],
        ["a lone surrogate", { partition: "a", sort: "\ud83d" }],
      ])("refuses %s in every call", async (_, key) => {
        await expectRefused(records.get(key))
        await expectRefused(records.put(key, { value: {} }))
        await expectRefused(records.remove(key))
        await expectRefused(Array.fromAsync(records.range(key.partition, { from: key.sort })))
        await expectRefused(Array.fromAsync(records.byList(key.partition, { to: key.sort })))
        await expectRefused(records.put(newKey(), { value: {} }, { listed: { list: key.partition, order: key.sort } }))
      })

      it("refuses two conditions at once, and limits and expiries that are no whole numbers", async () => {
        await expectRefused(records.put(newKey(), { value: {} }, { ifAbsent: true, ifVersion: 1 }))
        await expectRefused(records.put(newKey(), { value: {} }, { expiresAt: 1.5 }))
        await expectRefused(Array.fromAsync(records.range("a", { limit: -1 })))
      })
    })

    it("does nothing once its signal has been aborted", async () => {
      const key = newKey()
      const signal = AbortSignal.abort()
      await records.put(key, { value: {} })
      await expect(records.put(key, { value: {} }, { signal })).rejects.toThrow()
      await expect(records.remove(key, { signal })).rejects.toThrow()
      await expect(records.get(key, { signal })).rejects.toThrow()
      await expect(Array.fromAsync(records.range(key.partition, { signal }))).rejects.toThrow()
      expect(await records.get(key)).toMatchObject({ version: 1 })
    })
  })
}

function bytewise(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

async function expectRefused(call: Promise<unknown>) {
  await expect(call).rejects.toSatisfy((error) => isAppError(error, "validation_error"))
}
