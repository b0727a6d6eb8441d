import { DescribeTableCommand } from "@aws-sdk/client-dynamodb"
import { ECSClient, ListTasksCommand, StopTaskCommand } from "@aws-sdk/client-ecs"
import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
  ListFunctionsCommand,
  PutFunctionConcurrencyCommand,
} from "@aws-sdk/client-lambda"
import { DeleteObjectCommand, ListObjectVersionsCommand, S3Client } from "@aws-sdk/client-s3"
import { createDynamoClient, createDynamoRecords } from "@switchyard/core/storage/dynamo"
import { mockClient } from "aws-sdk-client-mock"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { requireStage } from "../../tools/cloud/find-stage.ts"
import { restoreStage } from "../../tools/cloud/restore/restore-stage.ts"
import { startDynamo } from "../emulators/dynamo.ts"
import { startWeather } from "../rehearsal/weather.ts"
import { never as signal } from "../settings.ts"

const AT = new Date("2026-11-20T10:00:00Z")
const BEFORE = new Date("2026-11-19T10:00:00Z")
const AFTER = new Date("2026-11-20T11:00:00Z")

function mockLambda(client: LambdaClient, table: string) {
  const lambda = mockClient(client)
  const reserved = new Map<string, number>([["switchyard-prod-SweepFunction-a", 2]])
  const runner = JSON.stringify({ cluster: "runners" })
  const worker = { TABLE: table, BUCKET: "blobs", RUNNER: runner }
  lambda.on(ListFunctionsCommand).callsFake(({ Marker }) =>
    Marker
      ? {
          Functions: [
            { FunctionName: "switchyard-prod-SweepFunction-a" },
            { FunctionName: "switchyard-try-ApiFunction-a" },
            { FunctionName: "switchyard-prod-2-ApiFunction-a" },
          ],
        }
      : {
          Functions: [{ FunctionName: "switchyard-prod-WorkerFunction-a", Environment: { Variables: worker } }],
          NextMarker: "more",
        },
  )
  lambda.on(GetFunctionConcurrencyCommand).callsFake(({ FunctionName }) => ({
    ReservedConcurrentExecutions: reserved.get(FunctionName),
  }))
  lambda.on(PutFunctionConcurrencyCommand).callsFake(({ FunctionName, ReservedConcurrentExecutions }) => {
    reserved.set(FunctionName, ReservedConcurrentExecutions)
  })
  lambda.on(DeleteFunctionConcurrencyCommand).callsFake(({ FunctionName }) => {
    reserved.delete(FunctionName)
  })
  return { reserved }
}

/**
 * Mocks two pages of a bucket's history: one file was deleted after the moment to restore, one before it, and one was
 * only written.
 */
function mockVersions(client: S3Client) {
  return mockVersionsOn(mockClient(client))
}

function mockVersionsOn(s3: ReturnType<typeof mockClient>) {
  s3.on(ListObjectVersionsCommand).callsFake(({ KeyMarker }) =>
    KeyMarker
      ? { DeleteMarkers: [{ Key: "s/1/since", VersionId: "mark", LastModified: AFTER }], IsTruncated: false }
      : {
          Versions: [{ Key: "s/1/stays", VersionId: "own", LastModified: AFTER }],
          DeleteMarkers: [{ Key: "s/1/long-ago", VersionId: "mark", LastModified: BEFORE }],
          ...{ IsTruncated: true, NextKeyMarker: "s/1/long-ago", NextVersionIdMarker: "mark" },
        },
  )
  s3.on(DeleteObjectCommand).resolves({})
  return s3
}

it("makes a stage what it was: its records and deleted files, with nobody at work meanwhile; and may be repeated", async () => {
  const dynamo = await startDynamo()
  const table = await dynamo.createTable()
  const records = createDynamoRecords({ client: dynamo.client, table })
  const key = (sort: string) => ({ partition: "s/1/log", sort })
  const put = (sort: string, value: string, list?: string) =>
    records.put(
      key(sort),
      { value: { text: value }, bytes: new Uint8Array([1, 2]), ...(list && { list, order: sort }) },
      { signal },
    )
  const all = async () =>
    (await Array.fromAsync(records.range("s/1/log"))).map(({ key, value }) => [key.sort, value] as const)
  for (let index = 100; index < 150; index++) await put(`${index}`, "same")
  const wanted = await all()

  // AWS's part of the restore: it creates a copy of the earlier table under another name. The first request is denied.
  let copy = ""
  let refusals = 1
  const weather = await startWeather(String(dynamo.config.endpoint))
  weather.set((request) => {
    const { SourceTableName, TargetTableName, RestoreDateTime } = JSON.parse(request)
    if (!SourceTableName) return undefined
    expect([SourceTableName, RestoreDateTime]).toEqual([table, AT.getTime() / 1000])
    if (copy) return { failure: { status: 400, body: '{"__type":"TableAlreadyExistsException","message":"There."}' } }
    if (refusals-- > 0) return { failure: { status: 400, body: '{"__type":"AccessDeniedException","message":"No."}' } }
    copy = TargetTableName
    return { before: async () => makeCopy(copy), failure: { status: 200, body: "{}" } }
  })
  const makeCopy = async (name: string) => {
    await dynamo.createTable(name)
    const older = createDynamoRecords({ client: dynamo.client, table: name })
    for (const [sort, value] of wanted) {
      await older.put(key(sort), { value, bytes: new Uint8Array([1, 2]) }, { signal })
    }
  }
  await put("120", "changed")
  await put("200", "newer", "list")
  await records.remove(key("101"), { signal })

  const region = "eu-central-1"
  const clients = { lambda: new LambdaClient({ region }), ecs: new ECSClient({ region }), s3: new S3Client({ region }) }
  const { reserved } = mockLambda(clients.lambda, table)
  const s3 = mockVersions(clients.s3)
  const ecs = mockClient(clients.ecs)
  ecs.on(ListTasksCommand, { cluster: "runners" }).resolves({ taskArns: ["task-1"] })
  ecs.on(StopTaskCommand).resolves({})
  const said: string[] = []
  const deps = {
    ...clients,
    dynamo: createDynamoClient({ ...dynamo.config, endpoint: weather.url }),
    sleep: async (ms: number) => {
      expect(ms).toBeGreaterThan(15 * 60_000)
      expect([...reserved]).toEqual([
        ["switchyard-prod-SweepFunction-a", 0],
        ["switchyard-prod-WorkerFunction-a", 0],
      ])
    },
    reserved: { sweep: 3 },
    say: (text: string) => said.push(text),
  }
  const stage = await requireStage(deps.lambda, "prod")
  expect(stage).toMatchObject({ table, bucket: "blobs", cluster: "runners" })
  await expect(restoreStage(deps, stage, AT)).rejects.toThrow("No.")
  expect([...reserved]).toEqual([["switchyard-prod-SweepFunction-a", 2]])
  s3.on(ListObjectVersionsCommand).rejectsOnce(new Error("S3 says no."))
  await expect(restoreStage(deps, stage, AT)).rejects.toThrow("S3 says no.")
  expect([...reserved.values()]).toEqual([0, 0])
  expect(said.at(-1)).toContain("stays paused")
  mockVersionsOn(s3)
  await restoreStage(deps, stage, AT)

  expect(await all()).toEqual(wanted)
  expect(said.slice(-2)).toEqual([
    "1 deleted files were restored.",
    "2 records were restored, and 1 newer ones were removed.",
  ])
  expect(s3.commandCalls(DeleteObjectCommand).map(({ args }) => args[0].input)).toEqual([
    { Bucket: "blobs", Key: "s/1/since", VersionId: "mark" },
  ])
  expect(ecs.commandCalls(StopTaskCommand)[0]?.args[0].input).toMatchObject({ cluster: "runners", task: "task-1" })
  // The second attempt left the sweep paused, so its concurrency now comes from the settings.
  expect([...reserved]).toEqual([["switchyard-prod-SweepFunction-a", 3]])
  await expect(dynamo.client.send(new DescribeTableCommand({ TableName: copy }))).rejects.toThrow()
  await expect(requireStage(deps.lambda, "none")).rejects.toThrow("There is no stage none")
  weather.stop()
  await dynamo.stop()
})

describe("a restore that can't be done", () => {
  const region = "eu-central-1"
  const stage = { table: "", bucket: "blobs", functions: ["one", "two"], cluster: "runners" }
  let dynamo: Awaited<ReturnType<typeof startDynamo>>
  let weather: Awaited<ReturnType<typeof startWeather>>
  beforeAll(async () => {
    dynamo = await startDynamo()
    weather = await startWeather(String(dynamo.config.endpoint))
  })
  afterAll(async () => {
    weather.stop()
    await dynamo.stop()
  })

  async function prepare() {
    const clients = {
      lambda: new LambdaClient({ region }),
      ecs: new ECSClient({ region }),
      s3: new S3Client({ region }),
    }
    const lambda = mockClient(clients.lambda)
    const reserved = new Map<string, number | undefined>()
    lambda.on(GetFunctionConcurrencyCommand).callsFake(({ FunctionName }) => ({
      ReservedConcurrentExecutions: reserved.get(FunctionName),
    }))
    lambda
      .on(PutFunctionConcurrencyCommand)
      .callsFake((of) => reserved.set(of.FunctionName, of.ReservedConcurrentExecutions))
    lambda.on(DeleteFunctionConcurrencyCommand).callsFake((of) => reserved.delete(of.FunctionName))
    const ecs = mockClient(clients.ecs)
    ecs.on(ListTasksCommand).resolves({})
    mockVersionsOn(mockClient(clients.s3))
    const said: string[] = []
    const table = await dynamo.createTable()
    weather.set((request) => {
      const { SourceTableName, TargetTableName } = JSON.parse(request)
      if (!SourceTableName) return undefined
      return { before: () => dynamo.createTable(TargetTableName), failure: { status: 200, body: "{}" } }
    })
    const deps = {
      ...clients,
      dynamo: createDynamoClient({ ...dynamo.config, endpoint: weather.url }),
      sleep: (_: number): Promise<unknown> => Promise.resolve(),
      reserved: {},
      say: (text: string) => said.push(text),
    }
    return { deps, lambda, ecs, reserved, said, stage: { ...stage, table } }
  }

  it("because a function can't be paused leaves none paused", async () => {
    const { deps, lambda, reserved, stage } = await prepare()
    const refused = new Error("not authorized to perform: lambda:PutFunctionConcurrency")
    lambda.on(PutFunctionConcurrencyCommand, { FunctionName: "two" }).rejects(refused)
    await expect(restoreStage(deps, stage, AT)).rejects.toThrow(refused)
    expect([...reserved]).toEqual([])
  })

  it("because runners can't be stopped lets the stage go on, says so, and can be done later", async () => {
    const { deps, ecs, reserved, said, stage } = await prepare()
    ecs.on(ListTasksCommand).rejectsOnce(new Error("not authorized to perform: ecs:ListTasks")).resolves({})
    await expect(restoreStage(deps, stage, AT)).rejects.toThrow("ecs:ListTasks")
    expect([...reserved]).toEqual([])
    expect(said.at(-1)).toContain("Nothing was changed")
    weather.set((request) =>
      JSON.parse(request).SourceTableName
        ? { failure: { status: 400, body: '{"__type":"TableAlreadyExistsException","message":"There."}' } }
        : undefined,
    )
    await restoreStage(deps, stage, AT)
    expect([...reserved]).toEqual([])
  })

  it("because the copy of an earlier one is being deleted says so, before anything is paused", async () => {
    const { deps, reserved, stage } = await prepare()
    weather.set((request) => {
      const { SourceTableName, TableName, Key } = JSON.parse(request)
      const [status, body] = SourceTableName
        ? [400, { __type: "TableAlreadyExistsException", message: "There." }]
        : [200, { Table: { TableStatus: "DELETING" } }]
      const isAboutCopy = SourceTableName || (TableName !== stage.table && !Key)
      return isAboutCopy ? { failure: { status, body: JSON.stringify(body) } } : undefined
    })
    await expect(restoreStage(deps, stage, AT)).rejects.toThrow("is being deleted. Try again in a few minutes.")
    expect([...reserved]).toEqual([])
  })

  it("because another one is at work, to whatever time, changes nothing; and the lock of one that was killed ends", async () => {
    const { deps, reserved, stage } = await prepare()
    let second: Promise<unknown> = Promise.resolve()
    const sleep = async () => {
      second = restoreStage(deps, stage, BEFORE).catch((error) => error)
      expect(await second).toMatchObject({
        message: expect.stringContaining("Another restore of this stage is running."),
      })
      expect([...reserved.values()]).toEqual([0, 0])
    }
    await restoreStage({ ...deps, sleep }, stage, AT)
    expect(
      await Array.fromAsync(createDynamoRecords({ client: deps.dynamo, table: stage.table }).range("restore")),
    ).toEqual([])

    // This restore dies while the stage is paused, so its lock remains.
    const paused = Promise.withResolvers<void>()
    const killed = () => {
      paused.resolve()
      return new Promise(() => {})
    }
    restoreStage({ ...deps, sleep: killed }, stage, AFTER)
    await paused.promise
    await expect(restoreStage(deps, stage, AT)).rejects.toThrow("Another restore")
    await restoreStage({ ...deps, now: () => Date.now() + 6 * 60_000 }, stage, BEFORE)
    expect([...reserved]).toEqual([])
  })
})
