// Removes a stage with all its data and secrets. SST refuses if `sst.config.ts` protects the stage.

import { setTimeout as sleep } from "node:timers/promises"
import { ECSClient } from "@aws-sdk/client-ecs"
import { LambdaClient } from "@aws-sdk/client-lambda"
import { createDynamoClient } from "@switchyard/core/storage/dynamo"
import { noteTarget, requireTarget } from "./cloud/deploy-target.ts"
import { endRunners, keepStopping } from "./cloud/end-runners.ts"
import { endWithMessages, outliveChildren } from "./cloud/errors.ts"
import { findCluster } from "./cloud/find-cluster.ts"
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
const clients = { lambda: new LambdaClient(), ecs: new ECSClient(), dynamo: createDynamoClient() }
const reserved = parseReserved(process.env.RESERVED_CONCURRENCY)
const wait = (ms: number, options: { signal: AbortSignal }) => sleep(ms, undefined, options)
const deps = { ...clients, reserved, sleep: wait, say: console.log }
const cluster = await findCluster(deps.ecs, stage)
const resume = cluster ? await stopContainers(cluster) : async () => {}
outliveChildren()
const code = await removeResources()
if (code !== 0) {
  await resume().catch((error) => console.error(error.message))
  console.error(`\n${stage} was not removed completely. See docs/deploy.md for how to take down production.`)
  process.exit(code)
}

// No longer needed, because the data sealed with them is gone.
const ours = [...Object.keys(GENERATED), ...MODEL_KEYS, ...SEARCH_KEYS]
for (const name of sst.secrets().filter((name) => ours.includes(name))) sst.removeSecret(name)
noteTarget(stage, undefined)

/** Stops the stage's containers. Returns a function that lets the worker start containers again. */
async function stopContainers(cluster: string): Promise<() => Promise<void>> {
  const interruption = new AbortController()
  // Handles every signal, not only the first, because the worker must not stay paused.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => interruption.abort(new Error("Interrupted. Nothing was removed.")))
  return endRunners(deps, cluster, await findStage(deps.lambda, stage), interruption)
}

/** Removes the stage's resources, and returns SST's exit code, or 1 if SST can't run. */
async function removeResources(): Promise<number> {
  const removal = new AbortController()
  const stopping = cluster && keepStopping(deps, cluster, removal)
  const code = await sst.show("remove").catch((error) => {
    console.error(error.message)
    return 1
  })
  removal.abort()
  await stopping
  return code
}
