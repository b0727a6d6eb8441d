import { randomUUID } from "node:crypto"
import type { ECSClient } from "@aws-sdk/client-ecs"
import type { LambdaClient } from "@aws-sdk/client-lambda"
import type { S3Client } from "@aws-sdk/client-s3"
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb"
import type { DeployedStage } from "../find-stage.ts"
import { pauseFunctions, stopRunners } from "../pause.ts"
import type { Reserved } from "../reserved.ts"
import { undeleteBlobs } from "./blobs.ts"
import { underLock } from "./lock.ts"
import { awaitTable, copyRecords, removeTable, requestTable } from "./records.ts"

export interface RestoreDeps {
  lambda: LambdaClient
  ecs: ECSClient
  dynamo: DynamoDBDocumentClient
  s3: S3Client
  /** Reserved concurrency of each function, from the stage's settings. */
  reserved: Reserved
  sleep: (ms: number) => Promise<unknown>
  say: (text: string) => void
  now?: () => number
}

/** Slightly longer than the longest invocation. */
const LAST_INVOCATION_MS = 16 * 60_000

/**
 * Restores a stage to the given time. The stage can't be used meanwhile. If the restore is interrupted before it first
 * changes a record or file, the stage continues unchanged. After that, the stage stays paused, and the same call
 * continues the restore.
 */
export async function restoreStage(deps: RestoreDeps, stage: DeployedStage, at: Date): Promise<void> {
  const { dynamo, say, now = Date.now } = deps
  const { table } = stage
  const copy = `${table}-at-${at.toISOString().replace(/\D/g, "").slice(0, 14)}`
  await underLock({ client: dynamo, table, holder: randomUUID(), now }, async () => {
    await requestTable(dynamo, { from: table, to: copy, at })
    say("The stage is paused. It doesn't respond to requests until it is restored.")
    const resume = await pauseStage(deps, stage, copy)
    try {
      await bringBack(deps, stage, { copy, at })
    } catch (error) {
      say("The stage is partly restored, and stays paused. Run the same command again to continue.")
      throw error
    }
    await resume()
    await removeTable(dynamo, copy)
  })
}

/** Pauses a stage until none of its functions are running and the copy exists. Resumes it if either fails. */
async function pauseStage(
  { lambda, ecs, dynamo, reserved, sleep, say }: RestoreDeps,
  stage: DeployedStage,
  copy: string,
): Promise<() => Promise<void>> {
  const resume = await pauseFunctions(lambda, stage.functions, reserved)
  try {
    await stopRunners(ecs, stage, "A restore")
    say("Running invocations end within 16 minutes. Meanwhile, AWS copies the table as of that time.")
    await Promise.all([awaitTable(dynamo, copy), sleep(LAST_INVOCATION_MS)])
    return resume
  } catch (error) {
    await resume()
    say("Nothing was changed, and the stage is no longer paused.")
    throw error
  }
}

async function bringBack(
  { dynamo, s3, say }: RestoreDeps,
  { table, bucket }: DeployedStage,
  { copy, at }: { copy: string; at: Date },
): Promise<void> {
  const files = await undeleteBlobs({ client: s3, bucket }, at)
  say(`${files} deleted files were restored.`)
  const { written, removed } = await copyRecords(dynamo, { from: copy, to: table })
  say(`${written} records were restored, and ${removed} newer ones were removed.`)
}
