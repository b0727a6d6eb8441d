import { DescribeTableCommand, UpdateContinuousBackupsCommand } from "@aws-sdk/client-dynamodb"
import {
  CreateClusterCommand,
  DescribeTasksCommand,
  RegisterTaskDefinitionCommand,
  RunTaskCommand,
} from "@aws-sdk/client-ecs"
import { GetFunctionConcurrencyCommand, type LambdaClient, PutFunctionConcurrencyCommand } from "@aws-sdk/client-lambda"
import { PutBucketVersioningCommand } from "@aws-sdk/client-s3"
import { readAll } from "@switchyard/core/storage/blobs"
import { createDynamoRecords } from "@switchyard/core/storage/dynamo"
import { createS3Blobs, createS3PresignClient } from "@switchyard/core/storage/s3"
import { createEcsClient } from "@switchyard/functions/aws/ecs"
import { createLambdaClient } from "@switchyard/functions/aws/invoke"
import { afterAll, expect, it } from "vitest"
import { requireStage } from "../../tools/cloud/find-stage.ts"
import { restoreStage } from "../../tools/cloud/restore/restore-stage.ts"
import { connectDynamo } from "../emulators/dynamo.ts"
import { connectS3 } from "../emulators/s3.ts"
import { createLambda } from "./code.ts"
import { connectAws } from "./connect.ts"

const aws = connectAws("eu-central-1")
const { endpoint } = aws
const [dynamo, s3] = [connectDynamo(endpoint), connectS3(endpoint)]
const [lambda, ecs] = [createLambdaClient(aws.config), createEcsClient(aws.config)]
afterAll(() => {
  for (const { close } of [dynamo, s3]) close()
  for (const client of [lambda, ecs]) client.destroy()
})

const options = { signal: new AbortController().signal }
const key = (sort: string) => ({ partition: "s/1/log", sort })

it(`makes a stage on ${aws.name} what it was, with its functions paused and its runners stopped meanwhile`, async () => {
  const table = await dynamo.createTable("restored")
  await dynamo.client.send(
    new UpdateContinuousBackupsCommand({
      TableName: table,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    }),
  )
  const bucket = await s3.createBucket("restored")
  await s3.client.send(
    new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: "Enabled" } }),
  )
  const records = createDynamoRecords({ client: dynamo.client, table })
  const blobs = createS3Blobs({ client: s3.client, presignClient: createS3PresignClient(s3.config), bucket })
  const task = await startRunner()
  await createFunctions(lambda, { TABLE: table, BUCKET: bucket, RUNNER: JSON.stringify({ cluster: "restored" }) })
  const reservedOf = async (FunctionName: string) =>
    (await lambda.send(new GetFunctionConcurrencyCommand({ FunctionName }))).ReservedConcurrentExecutions

  for (let index = 100; index < 150; index++) await records.put(key(`${index}`), { value: { index } }, options)
  await blobs.put("s/1/kept", Buffer.from("kept"))
  await blobs.put("apps/tea/pub/manifest", Buffer.from("published"))
  await blobs.put("s/1/lost", Buffer.from("lost"))
  await blobs.remove("s/1/lost")
  const at = new Date()
  // S3 counts time in whole seconds, and an object deleted within the same second as `at` isn't restored.
  for (let now = 0; now <= at.getTime(); now = (await blobs.head("s/1/now"))?.modifiedAt ?? 0) {
    await blobs.put("s/1/now", Buffer.from("now"))
  }
  await blobs.remove("s/1/kept")
  await blobs.remove("apps/tea/")

  const stage = await requireStage(lambda, "prod")
  expect(stage).toMatchObject({ table, bucket, cluster: "restored" })
  const copy = `${table}-at-${at.toISOString().replace(/\D/g, "").slice(0, 14)}`
  const said: string[] = []
  await restoreStage(
    {
      ...{ lambda, ecs, dynamo: dynamo.client, s3: s3.client, reserved: {} },
      say: (text) => said.push(text),
      async sleep() {
        expect(await Promise.all(stage.functions.map(reservedOf))).toEqual([0, 0])
        // The emulators copy a table's current state, so the changes after `at` are written only once the copy exists.
        while (!(await isMade(copy))) {}
        await records.put(key("120"), { value: { changed: true } }, options)
        await records.put(key("200"), { value: { newer: true } }, options)
        await records.remove(key("101"), options)
      },
    },
    stage,
    at,
  )
  expect(said.slice(-2)).toEqual([
    "2 deleted files were restored.",
    "2 records were restored, and 1 newer ones were removed.",
  ])
  const found = await Array.fromAsync(records.range("s/1/log"))
  expect(found.map(({ value }) => value)).toEqual(Array.from({ length: 50 }, (_, index) => ({ index: index + 100 })))
  expect(String(await readAll((await blobs.get("s/1/kept")) as AsyncIterable<Uint8Array>))).toBe("kept")
  expect(await blobs.head("apps/tea/pub/manifest")).toBeDefined()
  expect(await blobs.get("s/1/lost")).toBeUndefined()
  expect(await reservedOf("switchyard-prod-SweepFunction-a")).toBe(2)
  expect(await reservedOf("switchyard-prod-WorkerFunction-a")).toBeUndefined()
  const { tasks } = await ecs.send(new DescribeTasksCommand({ cluster: "restored", tasks: [task] }))
  expect(tasks?.[0]).toMatchObject({ desiredStatus: "STOPPED", stoppedReason: "A restore" })
  await expect(dynamo.client.send(new DescribeTableCommand({ TableName: copy }))).rejects.toThrow()
  await expect(requireStage(lambda, "none")).rejects.toThrow("There is no stage none")
})

function isMade(table: string): Promise<boolean> {
  return dynamo.client.send(new DescribeTableCommand({ TableName: table })).then(
    () => true,
    () => false,
  )
}

async function createFunctions(client: LambdaClient, environment: Record<string, string>): Promise<void> {
  await aws.withoutDocker()
  const role = await aws.createRole("restored")
  for (const name of ["prod-WorkerFunction-a", "prod-SweepFunction-a", "try-ApiFunction-a"]) {
    await createLambda(client, `switchyard-${name}`, { role, environment })
  }
  await client.send(
    new PutFunctionConcurrencyCommand({
      FunctionName: "switchyard-prod-SweepFunction-a",
      ReservedConcurrentExecutions: 2,
    }),
  )
}

async function startRunner(): Promise<string> {
  await aws.keepRunning("ecs::task")
  await ecs.send(new CreateClusterCommand({ clusterName: "restored" }))
  const { taskDefinition } = await ecs.send(
    new RegisterTaskDefinitionCommand({
      ...{
        family: "restored",
        requiresCompatibilities: ["FARGATE"],
        networkMode: "awsvpc",
        cpu: "1024",
        memory: "4096",
      },
      containerDefinitions: [{ name: "runner", image: "runner", cpu: 1024, memory: 4096 }],
    }),
  )
  const subnet = await aws.findSubnet()
  const { tasks } = await ecs.send(
    new RunTaskCommand({
      ...{ cluster: "restored", taskDefinition: taskDefinition?.taskDefinitionArn, launchType: "FARGATE" },
      networkConfiguration: { awsvpcConfiguration: { subnets: [subnet], securityGroups: ["sg-1"] } },
    }),
  )
  return tasks?.[0]?.taskArn ?? ""
}
