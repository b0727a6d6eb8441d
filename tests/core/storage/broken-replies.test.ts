import { isAppError } from "@switchyard/core/errors"
import { createDynamoClient, createDynamoRecords } from "@switchyard/core/storage/dynamo"
import { createS3Blobs, createS3Client } from "@switchyard/core/storage/s3"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startDynamo } from "../../emulators/dynamo.ts"
import { startS3 } from "../../emulators/s3.ts"
import { startWeather } from "../../rehearsal/weather.ts"

const key = { partition: "p", sort: "a" }
const unavailable = (error: unknown) => isAppError(error, "storage_unavailable")

describe("an answer of DynamoDB that breaks off in the middle", () => {
  let dynamo: Awaited<ReturnType<typeof startDynamo>>
  let weather: Awaited<ReturnType<typeof startWeather>>
  let records: ReturnType<typeof createDynamoRecords>
  beforeAll(async () => {
    dynamo = await startDynamo()
    weather = await startWeather(String(dynamo.config.endpoint))
    const client = createDynamoClient({ ...dynamo.config, endpoint: weather.url, maxAttempts: 2 })
    records = createDynamoRecords({ client, table: await dynamo.createTable() })
    await records.put(key, { value: { n: 1 } }, { listed: { list: "l", order: "a" } })
  })
  afterAll(async () => {
    weather.stop()
    await dynamo.stop()
  })

  it.each<[string, () => Promise<unknown>]>([
    ["get", () => records.get(key)],
    ["put", () => records.put(key, { value: { n: 2 } })],
    ["put under a condition that holds", () => records.put({ ...key, sort: "b" }, { value: {} }, { ifAbsent: true })],
    ["put under a condition that doesn't", () => records.put(key, { value: {} }, { ifAbsent: true })],
    ["remove", () => records.remove({ ...key, sort: "c" })],
    ["range", () => Array.fromAsync(records.range("p"))],
    ["byList", () => Array.fromAsync(records.byList("l"))],
  ])("is a store that can't be reached at the moment: %s", async (_, call) => {
    weather.set(() => ({ truncated: true }))
    await expect(call()).rejects.toSatisfy(unavailable)
    expect(weather.met()).toBe(2)
    weather.set(() => undefined)
    await expect(call()).resolves.not.toThrow()
  })

  it("may have been that of a put that won", async () => {
    const at = { ...key, sort: "won" }
    weather.set(() => ({ truncated: true }))
    await expect(records.put(at, { value: { ours: true } }, { ifAbsent: true })).rejects.toSatisfy(unavailable)
    weather.set(() => undefined)
    expect(await records.get(at)).toMatchObject({ version: 1, value: { ours: true } })
  })
})

describe("an answer of S3 that breaks off in the middle", () => {
  it("is a store that can't be reached at the moment, in every call whose answer has a body", async () => {
    const s3 = await startS3()
    const weather = await startWeather(String(s3.config.endpoint))
    const client = createS3Client({ ...s3.config, endpoint: weather.url, maxAttempts: 2 })
    const blobs = createS3Blobs({ client, presignClient: client, bucket: await s3.createBucket() })
    await blobs.put("a", Buffer.from("as it was"))

    weather.set(() => ({ truncated: true }))
    const read = async () => Array.fromAsync((await blobs.get("a")) ?? [])
    for (const call of [read, () => Array.fromAsync(blobs.list("a")), () => blobs.remove("a")]) {
      await expect(call()).rejects.toSatisfy(unavailable)
    }
    weather.set(() => undefined)
    expect(Buffer.concat(await read()).toString()).toBe("as it was")
    weather.stop()
    await s3.stop()
  })
})
