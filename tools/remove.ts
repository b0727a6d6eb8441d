// Removes a stage with all its data and secrets. SST refuses if `sst.config.ts` protects the stage.

import { setTimeout as sleep } from "node:timers/promises"
import { ECSClient } from "@aws-sdk/client-ecs"
import { LambdaClient } from "@aws-sdk/client-lambda"
import { createDynamoClient } from "@switchyard/core/storage/dynamo"
import { noteTarget, requireTarget } from "./cloud/deploy-target.ts"
import { endRunners } from "./cloud/end-runners.ts"
import { endWithMessages, outliveChildren } from "./cloud/errors.ts"
import { findStage } from "./cloud/find-stage.ts"
import { parseReserved } from "./cloud/reserved.ts"
import { GENERATED, MODEL_KEYS, SEARCH_KEYS } from "./cloud/secrets.ts"
import { createSst } from "./cloud/sst.ts"
import { loadSettings, stageOf } from "./cloud/stage.ts"

endWithMessages()
const stage = stageOf("remove")
loadSettings(stage)
await requireTarget(stage)
const sst = createSst(stage)
const resume = await stopContainers()
outliveChildren()
const code = await sst.show("remove")
if (code !== 0) {
  await resume().catch((error) => console.error(`The worker is still paused: ${error.message}`))
  console.error(`\n${stage} was not removed completely. See docs/deploy.md for how to take down production.`)
  process.exit(code)
}

// No longer needed, because the data sealed with them is gone.
const ours = [...Object.keys(GENERATED), ...MODEL_KEYS, ...SEARCH_KEYS]
for (const name of sst.secrets().filter((name) => ours.includes(name))) sst.removeSecret(name)
noteTarget(stage, undefined)

/** Stops the stage's containers, if it has any. Returns a function that lets the worker start containers again. */
async function stopContainers(): Promise<() => Promise<void>> {
  const lambda = new LambdaClient()
  const found = await findStage(lambda, stage)
  // The functions may be gone after an earlier attempt.
  if (!found) return async () => {}
  const clients = { lambda, ecs: new ECSClient(), dynamo: createDynamoClient() }
  const reserved = parseReserved(process.env.RESERVED_CONCURRENCY)
  const interruption = new AbortController()
  process.once("SIGINT", () => interruption.abort(new Error("Interrupted. Nothing was removed.")))
  const wait = (ms: number, options: { signal: AbortSignal }) => sleep(ms, undefined, options)
  return endRunners({ ...clients, reserved, sleep: wait, say: console.log }, found, interruption)
}
