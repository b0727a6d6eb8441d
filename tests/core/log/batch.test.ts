import { createHash, randomBytes } from "node:crypto"
import type { NewEvent } from "@switchyard/core/events"
import {
  batchSort,
  decodeBatch,
  encodeBatch,
  externalise,
  type NewBatch,
  numberBatch,
} from "@switchyard/core/log/batch"
import { readField } from "@switchyard/core/log/payload"
import { readAll } from "@switchyard/core/storage/blobs"
import * as fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as z from "zod"
import { openStores } from "../../fixtures/stores.ts"
import { note } from "./store.ts"

const record = (firstSeq: number, body: Awaited<ReturnType<typeof encodeBatch>>) => ({
  ...body,
  key: { partition: "log", sort: batchSort(firstSeq) },
  version: 1,
})

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)))
const events = fc.array(
  fc
    .dictionary(
      fc.stringMatching(/^[a-z_]{1,12}$/),
      fc.oneof(json, fc.string({ unit: "binary", maxLength: 3000 }), fc.constant("\ud83d")),
    )
    .map((fields) => ({ ...fields, type: "anything" }) as unknown as NewEvent),
  { minLength: 1, maxLength: 8 },
)
const batches: fc.Arbitrary<NewBatch> = fc.record({
  batchId: fc.stringMatching(/^bat_[a-z0-9]{26}$/),
  writer: fc.string(),
  at: fc.integer({ min: 0, max: 4e12 }),
  events,
})

describe("a batch", () => {
  let store: Awaited<ReturnType<typeof openStores>>
  beforeEach(async () => {
    store = await openStores()
  })
  afterEach(() => store.close())

  it("comes back from the store as it went in, numbered from its place", async () => {
    let partition = 0
    const comesBack = fc.asyncProperty(
      batches,
      fc.integer({ min: 1, max: 999_999_999_999 }),
      async (batch, firstSeq) => {
        const key = { partition: `log ${partition++}`, sort: batchSort(firstSeq) }
        await store.records.put(key, await encodeBatch(batch))
        const stored = await store.records.get(key)
        const decoded = stored && (await decodeBatch(stored))
        expect(decoded).toEqual(numberBatch(batch, firstSeq))
        expect(decoded?.events.map(({ seq }) => seq)).toEqual(batch.events.map((_, index) => firstSeq + index))
      },
    )
    await fc.assert(comesBack, { numRuns: 200 })
  })

  it("keeps a field whose name means something to JavaScript", async () => {
    const event = JSON.parse('{"type":"note","__proto__":"p","constructor":"c","toString":1}')
    const { events } = await decodeBatch(
      record(1, await encodeBatch({ batchId: "bat_1", writer: "w", at: 0, events: [event] })),
    )
    expect(Object.entries(events[0] as object)).toEqual(expect.arrayContaining(Object.entries(event)))
  })

  it("above 1 KB is stored compressed, and below it to be read by eye", async () => {
    const batch = (text: string) => ({ batchId: "bat_1", writer: "w", at: 0, events: [note(text)] })
    const small = await encodeBatch(batch("small"))
    expect(small).toMatchObject({ value: { events: [{ type: "note", text: "small" }] } })
    expect(small.bytes).toBeUndefined()

    const large = await encodeBatch(batch("large ".repeat(1000)))
    expect(large.value).not.toHaveProperty("events")
    expect(large.bytes?.length).toBeLessThan(200)
    expect((await decodeBatch(record(1, large))).events[0]).toMatchObject({ text: "large ".repeat(1000) })
  })

  it("keeps events of types and fields that nobody knows", async () => {
    const events = [{ type: "from_the_future", depth: { of: ["field"] } } as unknown as NewEvent]
    const encoded = await encodeBatch({ batchId: "bat_1", writer: "w", at: 0, events })
    expect((await decodeBatch(record(7, encoded))).events).toEqual([
      {
        type: "from_the_future",
        depth: { of: ["field"] },
        event_id: "evt_1_0",
        seq: 7,
        ts: "1970-01-01T00:00:00.000Z",
      },
    ])
  })

  it("gives each event its own place, whatever the event says of it", () => {
    const events = [{ ...note("mine"), seq: 99, event_id: "mine", ts: "yesterday" } as unknown as NewEvent]
    const { events: placed } = numberBatch({ batchId: "bat_1", writer: "w", at: 0, events }, 3)
    expect(placed[0]).toMatchObject({ seq: 3, event_id: "evt_1_0", ts: "1970-01-01T00:00:00.000Z" })
  })

  it("sorts by number", () => {
    const numbers = [1, 2, 9, 10, 11, 99, 100, 12_345, 999_999_999_999]
    expect(numbers.map(batchSort).sort()).toEqual(numbers.map(batchSort))
  })
})

describe("a field of an event", () => {
  it("of up to 32 KB stays, and a larger one goes where the event points", async () => {
    const stored = new Map<string, Uint8Array>()
    const store = async (sha256: string, bytes: Uint8Array) => {
      stored.set(sha256, bytes)
      return `artifacts/${sha256}`
    }
    const limit = "x".repeat(32 * 1024 - 2)
    const larger = "é".repeat(16 * 1024)
    const event = { type: "note", limit, larger, list: [{ larger }] } as unknown as NewEvent

    const externalised = await externalise(event, store)
    const bytes = Buffer.from(JSON.stringify(larger))
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    expect(externalised).toMatchObject({ type: "note", limit })
    expect(externalised).toMatchObject({ larger: { sha256, size_bytes: bytes.length, key: `artifacts/${sha256}` } })
    expect(Buffer.from(stored.get(sha256) ?? [])).toEqual(bytes)
    expect(stored.size).toBe(2)
  })

  it("that lies in a blob is read back whole", async () => {
    const { blobs, close } = await openStores()
    const text = randomBytes(40_000).toString("base64")
    const event = await externalise(note(text), async (sha256, bytes) => {
      await blobs.put(`a/${sha256}`, bytes)
      return `a/${sha256}`
    })
    const field = (event as unknown as { text: unknown }).text
    expect(await readField(blobs, field, z.string(), {})).toBe(text)
    const { key } = field as { key: string }
    expect(await readAll((await blobs.get(key)) ?? expect.fail("no blob"))).toEqual(Buffer.from(JSON.stringify(text)))
    await close()
  })
})
