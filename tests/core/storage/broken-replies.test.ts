import { isAppError } from "@switchyard/core/errors"
import { createDynamoClient, createDynamoRecords } from "@switchyard/core/storage/dynamo"
import { createS3Blobs, createS3Client } from "@switchyard/core/storage/s3"
import { createEcsClient, createTasks } from "@switchyard/functions/aws/ecs"
import { createInvoke, createLambdaClient } from "@switchyard/functions/aws/invoke"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../depth.ts"
import { startDynamo } from "../../emulators/dynamo.ts"
import { startS3 } from "../../emulators/s3.ts"
import { startWeather } from "../../rehearsal/weather.ts"

const { signal } = new AbortController()
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

const clientConfig = {
  ...{ region: "eu-central-1", maxAttempts: 1 },
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
}

describe.concurrent("a request that nobody answers", () => {
  it("is given up by every client that the product makes, and not waited for without end", async () => {
    const silence = await startWeather("http://127.0.0.1:9")
    silence.set(() => ({ never: true }))
    const config = { ...clientConfig, endpoint: silence.url }
    const records = createDynamoRecords({ client: createDynamoClient(config), table: "t" })
    const client = createS3Client({ ...config, forcePathStyle: true })
    const blobs = createS3Blobs({ client, presignClient: client, bucket: "b" })
    const place = { cluster: "c", task_definition: "t", agent_definitions: {}, subnets: [], security_group: "s" }
    const tasks = createTasks(place, createEcsClient(config))
    const invoke = createInvoke(createLambdaClient(config))

    const of = await Promise.allSettled([
      records.get(key),
      records.put(key, { value: {} }, { ifAbsent: true }),
      Array.fromAsync(records.range("p")),
      blobs.get("a"),
      blobs.put("a", new Uint8Array(1024)),
      tasks.describe("task", { signal }),
      invoke("worker", {}, { signal }),
    ])
    const notReached = { status: "rejected", reason: { code: "storage_unavailable", cause: { name: "TimeoutError" } } }
    expect(of).toMatchObject([
      ...Array.from({ length: 5 }, () => notReached),
      { status: "fulfilled", value: undefined },
      { status: "rejected", reason: { name: "TimeoutError" } },
    ])
    silence.stop()
  })

  itDeep("is given up where the answer stops in the middle of its body", async () => {
    const [dynamo, s3] = [await startDynamo(), await startS3()]
    const table = await dynamo.createTable()
    const bucket = await s3.createBucket()
    await createDynamoRecords({ client: dynamo.client, table }).put(key, { value: {} })
    await createS3Blobs({ client: s3.client, presignClient: s3.client, bucket }).put("a", new Uint8Array(1024))

    const weathers = await Promise.all([dynamo, s3].map(({ config }) => startWeather(String(config.endpoint))))
    for (const weather of weathers) weather.set(() => ({ never: "amid" }))
    const [beforeDynamo, beforeS3] = weathers.map(({ url }) => ({ ...clientConfig, endpoint: url }))
    const records = createDynamoRecords({ client: createDynamoClient(beforeDynamo), table })
    const client = createS3Client({ ...beforeS3, forcePathStyle: true })
    const blobs = createS3Blobs({ client, presignClient: client, bucket })
    const read = async () => Array.fromAsync((await blobs.get("a")) ?? [])
    await Promise.all([records.get(key), read()].map((call) => expect(call).rejects.toSatisfy(unavailable)))
    for (const weather of weathers) weather.stop()
    await Promise.all([dynamo.stop(), s3.stop()])
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

describe("a blob whose bytes changed on their way", () => {
  it("isn't given out as whole, and the error says what is wrong", async () => {
    const s3 = await startS3()
    const weather = await startWeather(String(s3.config.endpoint))
    const client = createS3Client({ ...s3.config, endpoint: weather.url })
    const blobs = createS3Blobs({ client, presignClient: client, bucket: await s3.createBucket() })
    await blobs.put("a", Buffer.from("as it was"))
    weather.set(() => ({ garbled: true }))
    const read = async () => Array.fromAsync((await blobs.get("a")) ?? [])
    await expect(read()).rejects.toMatchObject({ message: "The data from storage doesn't match its checksum." })
    weather.stop()
    await s3.stop()
  })
})

describe("credentials that have expired before their time", () => {
  it("are fetched again, and the call is made once more with the new ones", async () => {
    const dynamo = await startDynamo()
    const weather = await startWeather(String(dynamo.config.endpoint))
    let fetched = 0
    const credentials = async () => ({ accessKeyId: `key-${++fetched}`, secretAccessKey: "test" })
    const client = createDynamoClient({ ...dynamo.config, endpoint: weather.url, credentials })
    const records = createDynamoRecords({ client, table: await dynamo.createTable() })
    const type = "com.amazonaws.dynamodb.v20120810#ExpiredTokenException"
    const expired = { status: 400, body: JSON.stringify({ __type: type, message: "The token has expired." }) }

    weather.set(() => (weather.met() === 0 ? { failure: expired } : undefined))
    expect(await records.put(key, { value: {} }, { ifAbsent: true })).toBe(1)
    expect(fetched).toBe(2)

    weather.set(() => ({ failure: expired }))
    await expect(records.get(key)).rejects.toMatchObject({ name: "ExpiredTokenException" })
    expect(weather.met()).toBe(2)
    weather.stop()
    await dynamo.stop()
  })
})
