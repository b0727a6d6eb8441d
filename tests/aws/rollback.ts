import {
  CreateAliasCommand,
  GetAliasCommand,
  PublishVersionCommand,
  UpdateFunctionConfigurationCommand,
} from "@aws-sdk/client-lambda"
import { GetObjectCommand, GetObjectTaggingCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import { createLambdaClient } from "@switchyard/functions/aws/invoke"
import { afterAll, expect, it } from "vitest"
import { findBucket } from "../../tools/cloud/find-bucket.ts"
import { rollBack } from "../../tools/cloud/roll-back.ts"
import { pruneVersions, publishedVersions } from "../../tools/cloud/versions.ts"
import { connectS3 } from "../emulators/s3.ts"
import { createLambda } from "./code.ts"
import { connectAws } from "./connect.ts"

const aws = connectAws("eu-central-1")
const s3 = connectS3(aws.endpoint)
const lambda = createLambdaClient(aws.config)
afterAll(() => {
  s3.close()
  lambda.destroy()
})

const FunctionName = "switchyard-back-ApiFunction-a"
const settings = (commit: string) => ({ VERSION: `0.1.0+${commit}`, TABLE: "records" })

it(`makes an earlier version live on ${aws.name}, and the studio's page with it`, async () => {
  await aws.withoutDocker()
  const role = await aws.createRole("rolled-back")
  await createLambda(lambda, FunctionName, { role, environment: settings("0000000") })
  for (let commit = 1; commit <= 12; commit++) {
    const Variables = settings(String(commit).repeat(7))
    await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }))
    await lambda.send(new PublishVersionCommand({ FunctionName }))
  }
  const [newest] = await publishedVersions(lambda, FunctionName)
  expect(newest?.settings).toEqual(settings("12".repeat(7)))
  const FunctionVersion = newest?.number
  await lambda.send(new CreateAliasCommand({ FunctionName, Name: "live", FunctionVersion }))

  const studio = await s3.createBucket("switchyard-back-studiobucket-a")
  expect(await findBucket(s3.client, "switchyard-back-studiobucket-")).toBe(studio)
  const put = (Key: string, Body: string, Tagging?: string) =>
    s3.client.send(new PutObjectCommand({ Bucket: studio, Key, Body, Tagging, CacheControl: "no-cache" }))
  await put("index.html", "<p>new</p>")
  await put(`pages/${"11".repeat(7)}.html`, "<p>old</p>")
  await put("assets/old-1.js", "old", "retired=yes")

  await rollBack({ lambda, s3: s3.client, functions: [FunctionName], studio }, "0.1.0+1111111")
  const live = await lambda.send(new GetAliasCommand({ FunctionName, Name: "live" }))
  expect(Number(live.FunctionVersion)).toBe(Number(newest?.number) - 1)
  const { Body, CacheControl } = await s3.client.send(new GetObjectCommand({ Bucket: studio, Key: "index.html" }))
  expect([await Body?.transformToString(), CacheControl]).toEqual(["<p>old</p>", "no-cache"])
  const { TagSet } = await s3.client.send(new GetObjectTaggingCommand({ Bucket: studio, Key: "assets/old-1.js" }))
  expect(TagSet).toEqual([])

  await pruneVersions(lambda, FunctionName)
  expect(await publishedVersions(lambda, FunctionName)).toHaveLength(3)
})
