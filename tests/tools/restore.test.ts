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
import { expect, it } from "vitest"
import { findStage } from "../../tools/cloud/restore/find-stage.ts"
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

/** Two pages of what a bucket was through: one file was deleted since, one before, and one only written. */
function mockVersions(client: S3Client) {
  const s3 = mockClient(client)
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

  // AWS's part: a table as that one was then, under another name. The first answer is that nobody is let in.
  let copy = ""
  let refusals = 1
  const weather = await startWeather(String(dynamo.config.endpoint))
  weather.set((request) => {
    const { SourceTableName, TargetTableName, RestoreDateTime } = JSON.parse(request)
    if (!SourceTableName) return undefined
    expect([SourceTableName, RestoreDateTime]).toEqual([table, AT.getTime() / 1000])
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
  const stage = await findStage(deps.lambda, "prod")
  expect(stage).toMatchObject({ table, bucket: "blobs", cluster: "runners" })
  await expect(restoreStage(deps, stage, AT)).rejects.toThrow("No.")
  expect([...reserved.values()]).toEqual([0, 0])
  await restoreStage(deps, stage, AT)

  expect(await all()).toEqual(wanted)
  expect(said.slice(-2)).toEqual([
    "1 deleted files are back.",
    "2 records are what they were, and 1 newer ones are gone.",
  ])
  expect(s3.commandCalls(DeleteObjectCommand).map(({ args }) => args[0].input)).toEqual([
    { Bucket: "blobs", Key: "s/1/since", VersionId: "mark" },
  ])
  expect(ecs.commandCalls(StopTaskCommand)[0]?.args[0].input).toMatchObject({ cluster: "runners", task: "task-1" })
  // The first attempt left it paused, so the settings count.
  expect([...reserved]).toEqual([["switchyard-prod-SweepFunction-a", 3]])
  await expect(dynamo.client.send(new DescribeTableCommand({ TableName: copy }))).rejects.toThrow()
  await expect(findStage(deps.lambda, "none")).rejects.toThrow("There is no stage none")
  weather.stop()
  await dynamo.stop()
})
