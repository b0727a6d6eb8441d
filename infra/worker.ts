/// <reference path="../.sst/platform/config.d.ts" />
import { callBedrock } from "./bedrock.ts"
import { createFunction, type LiveFunction } from "./function.ts"
import type { Runner } from "./runner.ts"
import type { Secrets } from "./secrets.ts"
import type { Storage } from "./storage.ts"

/**
 * Creates the worker, which executes each run in its own invocation, or launches a runner for it. It never invokes
 * itself, because the sweep restarts runs that are handed over. Lambda's loop detection can therefore stay on.
 */
export function createWorker(deps: { secrets: Secrets; storage: Storage; runner: Runner | undefined }): LiveFunction {
  const { secrets, storage, runner } = deps
  return createFunction("Worker", {
    handler: "packages/functions/src/aws/worker.handler",
    description: "Executes runs",
    memory: "1024 MB",
    timeout: "15 minutes",
    // Don't retry here, because the sweep retries failed launches.
    retries: 0,
    traced: true,
    key: storage.key,
    environment: {
      ...storage.environment,
      MASTER_KEY: secrets.masterKey,
      ...secrets.modelKeys,
      ...secrets.searchKeys,
      ...(runner && { RUNNER: runner.place }),
    },
    permissions: [
      storage.records,
      storage.blobNames,
      storage.readBlobs,
      storage.writeBlobs,
      storage.deleteBlobs,
      ...(runner?.launch ?? []),
      ...callBedrock(),
    ],
  })
}
