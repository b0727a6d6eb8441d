import {
  DynamoDBServiceException,
  InternalServerError,
  ProvisionedThroughputExceededException,
} from "@aws-sdk/client-dynamodb"
import { GetCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb"
import { isAppError } from "@switchyard/core/errors"
import { createDynamoClient, createDynamoRecords, DYNAMO_TTL_ATTRIBUTE } from "@switchyard/core/storage/dynamo"
import { mockClient } from "aws-sdk-client-mock"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { startDynamo } from "../../emulators/dynamo.ts"

const key = { partition: "p", sort: "a" }
const unavailable = (error: unknown) => isAppError(error, "storage_unavailable")

describe("a DynamoDB reply that is lost", () => {
  let dynamo: Awaited<ReturnType<typeof startDynamo>>
  let table: string
  beforeAll(async () => {
    dynamo = await startDynamo()
    table = await dynamo.createTable()
  })
  afterAll(() => dynamo.stop())

  /** Returns a client that misses this many of the emulator's replies. */
  function losing(replies: number, maxAttempts: number) {
    const client = createDynamoClient({ ...dynamo.config, maxAttempts })
    const { requestHandler } = client.config
    const handle = requestHandler.handle.bind(requestHandler)
    requestHandler.handle = async (request, options) => {
      const reply = await handle(request, options)
      if (replies-- <= 0) return reply
      throw Object.assign(new Error("socket hang up"), { name: "TimeoutError", code: "ECONNRESET" })
    }
    return createDynamoRecords({ client, table })
  }

  it("makes a put that won look lost, and what stands there tells", async () => {
    const records = losing(1, 3)
    const at = { ...key, sort: "retried" }
    expect(await records.put(at, { value: { batch: "ours" } }, { ifAbsent: true })).toBeUndefined()
    expect(await records.get(at)).toMatchObject({ version: 1, value: { batch: "ours" } })
  })

  it("makes a removal that won look lost", async () => {
    const at = { ...key, sort: "removed" }
    await losing(0, 1).put(at, { value: {} })
    const records = losing(1, 3)
    expect(await records.remove(at, { ifVersion: 1 })).toBe(false)
    expect(await records.get(at)).toBeUndefined()
  })

  it("leaves the fate of a put unknown once the SDK gives up", async () => {
    const at = { ...key, sort: "unknown" }
    await expect(losing(1, 1).put(at, { value: {} }, { ifAbsent: true })).rejects.toSatisfy(unavailable)
    expect(await losing(0, 1).get(at)).toMatchObject({ version: 1 })
  })

  it("does not fail a put without a condition", async () => {
    const at = { ...key, sort: "always" }
    // The first lost reply answers a read, and the second answers the put.
    const records = losing(2, 3)
    const version = await records.put(at, { value: { n: 1 } })
    expect(await records.get(at)).toMatchObject({ version, value: { n: 1 } })
  })
})

describe("a DynamoDB that answers with an error", () => {
  const client = createDynamoClient({ region: "eu-central-1" })
  const mock = mockClient(client)
  const records = createDynamoRecords({ client, table: "t" })
  afterEach(() => mock.reset())

  const metadata = (httpStatusCode?: number) => ({ $metadata: { httpStatusCode }, message: "no" })
  const failure = (name: string, httpStatusCode: number) =>
    new DynamoDBServiceException({ name, $fault: "client", ...metadata(httpStatusCode) })

  it.each([
    ["throttling of the table", new ProvisionedThroughputExceededException(metadata(400))],
    ["throttling of the account", failure("ThrottlingException", 400)],
    ["its own failure", new InternalServerError(metadata(500))],
    ["no answer", Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", ...metadata() })],
  ])("is unavailable after %s, in every call, and says why", async (_, error) => {
    mock.rejects(error)
    const calls = [
      records.get(key),
      records.put(key, { value: {} }),
      records.put(key, { value: {} }, { ifAbsent: true }),
      records.remove(key),
      Array.fromAsync(records.range("p")),
      Array.fromAsync(records.byList("l")),
    ]
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "storage_unavailable", cause: error } })
    }
  })

  it.each([
    ["a missing table", failure("ResourceNotFoundException", 400)],
    ["a refused permission", failure("AccessDeniedException", 400)],
  ])("keeps the error of %s, which will not pass", async (_, error) => {
    mock.rejects(error)
    await expect(records.get(key)).rejects.toBe(error)
    await expect(records.put(key, { value: {} }, { ifAbsent: true })).rejects.toBe(error)
  })

  it("has written nothing that its limits refuse", async () => {
    const bytes = new Uint8Array(400 * 1024)
    await expect(records.put(key, { value: {}, bytes })).rejects.toSatisfy((error) =>
      isAppError(error, "storage_too_large"),
    )
    expect(mock.calls()).toHaveLength(0)
  })

  it("loses nothing of a range when a later page fails", async () => {
    const Items = [{ pk: "p", sk: "a", version: 1, value: "{}" }]
    mock.on(QueryCommand).resolvesOnce({ Items, LastEvaluatedKey: { pk: "p", sk: "a" } })
    mock.on(QueryCommand, { ExclusiveStartKey: { pk: "p", sk: "a" } }).rejects(new InternalServerError(metadata(500)))
    const seen: string[] = []
    const read = async () => {
      for await (const record of records.range("p")) seen.push(record.key.sort)
    }
    await expect(read()).rejects.toSatisfy(unavailable)
    expect(seen).toEqual(["a"])
  })

  it("goes on after a page that holds nothing", async () => {
    const start = { pk: "p", sk: "a" }
    mock.on(QueryCommand).resolves({ Items: [{ pk: "p", sk: "b", version: 1, value: "{}" }] })
    mock.on(QueryCommand, { ExclusiveStartKey: undefined }).resolvesOnce({ Items: [], LastEvaluatedKey: start })
    expect(await Array.fromAsync(records.range("p"))).toHaveLength(1)
  })

  it("reads and writes in the ways that the port promises", async () => {
    mock.on(GetCommand).resolves({})
    mock.on(QueryCommand).resolves({ Items: [] })
    mock.on(PutCommand).resolves({})
    await records.put(key, { value: {} }, { expiresAt: 2_000_000_000 })
    await Array.fromAsync(records.range("p"))
    expect(mock.commandCalls(PutCommand)[0]?.args[0].input.Item?.[DYNAMO_TTL_ATTRIBUTE]).toBe(2_000_000_000)
    expect(mock.commandCalls(GetCommand)[0]?.args[0].input.ConsistentRead).toBe(true)
    expect(mock.commandCalls(QueryCommand)[0]?.args[0].input.ConsistentRead).toBe(true)
    expect(mock.commandCalls(PutCommand).every((call) => call.args[0].input.ConditionExpression)).toBe(true)
  })
})
