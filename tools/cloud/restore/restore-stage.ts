import type { ECSClient } from "@aws-sdk/client-ecs"
import type { LambdaClient } from "@aws-sdk/client-lambda"
import type { S3Client } from "@aws-sdk/client-s3"
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb"
import type { Reserved } from "../reserved.ts"
import { undeleteBlobs } from "./blobs.ts"
import type { DeployedStage } from "./find-stage.ts"
import { pauseFunctions, stopRunners } from "./pause.ts"
import { copyRecords, removeTable, restoreTable } from "./records.ts"

export interface RestoreDeps {
  lambda: LambdaClient
  ecs: ECSClient
  dynamo: DynamoDBDocumentClient
  s3: S3Client
  /** How many of each function can always run, by the stage's settings. */
  reserved: Reserved
  sleep: (ms: number) => Promise<unknown>
  say: (text: string) => void
}

/** The longest that a function runs, and a little more. */
const LAST_INVOCATION_MS = 16 * 60_000

/**
 * Makes a stage what it was at that time. Nobody can use it meanwhile. Where it breaks off, the stage stays paused, and the same call
 * goes on with it.
 */
export async function restoreStage(deps: RestoreDeps, stage: DeployedStage, at: Date): Promise<void> {
  const { lambda, ecs, dynamo, s3, reserved, sleep, say } = deps
  const { table, bucket, functions } = stage
  const copy = `${table}-at-${at.toISOString().replace(/\D/g, "").slice(0, 14)}`
  say("The stage is paused: nobody is answered until it is restored.")
  const resume = await pauseFunctions(lambda, functions, reserved)
  await stopRunners(ecs, stage)
  say("What runs already ends within 16 minutes. Meanwhile AWS makes a table as it was.")
  await Promise.all([restoreTable(dynamo, { from: table, to: copy, at }), sleep(LAST_INVOCATION_MS)])
  const files = await undeleteBlobs({ client: s3, bucket }, at)
  say(`${files} deleted files are back.`)
  const { written, removed } = await copyRecords(dynamo, { from: copy, to: table })
  say(`${written} records are what they were, and ${removed} newer ones are gone.`)
  await resume()
  await removeTable(dynamo, copy)
}
