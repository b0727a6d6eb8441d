/// <reference path="../.sst/platform/config.d.ts" />
import { createFunction } from "./function.ts"
import type { Runner } from "./runner.ts"
import type { Secrets } from "./secrets.ts"
import { reserved } from "./stage.ts"
import type { Storage } from "./storage.ts"

/**
 * Executes runs, each in an invocation of its own, or has a runner execute them. It never invokes itself: what it hands over, the sweep starts again,
 * so Lambda may go on ending what looks like a loop.
 */
export function createWorker(deps: {
  secrets: Secrets
  storage: Storage
  runner: Runner | undefined
}): sst.aws.Function {
  const { secrets, storage, runner } = deps
  return createFunction("Worker", {
    handler: "packages/functions/src/aws/worker.handler",
    description: "Executes runs",
    memory: "1024 MB",
    timeout: "15 minutes",
    // A launch that failed is the sweep's.
    retries: 0,
    traced: true,
    reserved: reserved.worker,
    key: storage.key,
    environment: {
      ...storage.environment,
      MASTER_KEY: secrets.masterKey,
      GROQ_API_KEY: secrets.groqApiKey,
      BRAVE_API_KEY: secrets.braveApiKey,
      SERPER_API_KEY: secrets.serperApiKey,
      ...(runner && { RUNNER: runner.place }),
    },
    permissions: [
      storage.records,
      storage.blobNames,
      storage.readBlobs,
      storage.writeBlobs,
      storage.deleteBlobs,
      ...(runner?.launch ?? []),
    ],
  })
}
