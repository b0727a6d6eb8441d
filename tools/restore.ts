// Restores a stage to a time within the last 7 days. Without --yes, only prints what it would do.

import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { ECSClient } from "@aws-sdk/client-ecs"
import { LambdaClient } from "@aws-sdk/client-lambda"
import { createDynamoClient } from "@switchyard/core/storage/dynamo"
import { createS3Client } from "@switchyard/core/storage/s3"
import { requireTarget } from "./cloud/deploy-target.ts"
import { endWithMessages } from "./cloud/errors.ts"
import { requireStage } from "./cloud/find-stage.ts"
import { parseReserved } from "./cloud/reserved.ts"
import { restoreStage } from "./cloud/restore/restore-stage.ts"
import { loadSettings, stageOf } from "./cloud/stage.ts"

const OPTIONS = { at: { type: "string" }, yes: { type: "boolean", default: false } } as const
const DAYS = 7
const DAY_MS = 86_400_000

endWithMessages()
const name = stageOf("restore", undefined, OPTIONS)
const { at: text = "", yes } = parseArgs({ options: { ...OPTIONS, stage: { type: "string" } } }).values
const at = new Date(text)
const agoMs = Date.now() - at.getTime()
if (!/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) || !(agoMs > 0 && agoMs < DAYS * DAY_MS)) {
  console.error(`Add a time within the last ${DAYS} days: --at ${new Date(Date.now() - DAY_MS).toISOString()}`)
  process.exit(1)
}
loadSettings(name)
await requireTarget(name)
const lambda = new LambdaClient()
const stage = await requireStage(lambda, name)
console.log(
  `${name} would be restored to ${at.toISOString()}: the table ${stage.table} and the bucket ${stage.bucket}.\n` +
    `Later changes would be lost. ${stage.functions.length} functions would be paused meanwhile, for at least 16 minutes.`,
)
if (!yes) {
  console.log("Nothing was done. To restore, add --yes.")
  process.exit(0)
}
process.once("SIGINT", () => {
  console.error("Stopped. The stage may still be paused. To continue, run the same command again in five minutes.")
  process.exit(130)
})
const clients = { lambda, ecs: new ECSClient(), dynamo: createDynamoClient(), s3: createS3Client() }
const reserved = parseReserved(process.env.RESERVED_CONCURRENCY)
await restoreStage({ ...clients, reserved, sleep, say: console.log }, stage, at)
