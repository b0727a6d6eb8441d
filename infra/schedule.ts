/// <reference path="../.sst/platform/config.d.ts" />
import { createFunction, invoke, type LiveFunction } from "./function.ts"
import type { Slots } from "./slots.ts"
import type { Storage } from "./storage.ts"

/** Creates the sweep, which does due work once a minute, such as restarting runs and deleting expired data. */
export function createSchedule({
  storage,
  worker,
  slots,
}: {
  storage: Storage
  worker: LiveFunction
  slots: Slots | undefined
}): LiveFunction {
  const sweep = createFunction("Sweep", {
    handler: "packages/functions/src/aws/sweep.handler",
    description: "Does the work that is due",
    memory: "256 MB",
    timeout: "2 minutes",
    // Don't retry, because the next sweep continues a minute later.
    retries: 0,
    // At 43,800 calls a month, tracing would make up most of the sweep's cost.
    traced: false,
    key: storage.key,
    environment: { ...storage.environment, WORKER: worker.invokeName, ...(slots && { SLOTS: slots.name }) },
    permissions: [
      storage.records,
      storage.blobNames,
      storage.readBlobs,
      storage.deleteBlobs,
      storage.deleteApps,
      invoke(worker),
      ...(slots ? [slots.invoke] : []),
    ],
  })
  new sst.aws.CronV2("EveryMinute", { schedule: "rate(1 minute)", function: sweep.arn, retries: 0 })
  return sweep
}
