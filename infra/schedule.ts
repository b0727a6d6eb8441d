/// <reference path="../.sst/platform/config.d.ts" />
import { createFunction, invoke } from "./function.ts"
import { reserved } from "./stage.ts"
import type { Storage } from "./storage.ts"

/** Once a minute, does what is due: starts runs again, frees and deletes what has expired. */
export function createSchedule({ storage, worker }: { storage: Storage; worker: sst.aws.Function }): sst.aws.Function {
  const sweep = createFunction("Sweep", {
    handler: "packages/functions/src/aws/sweep.handler",
    description: "Does what is due",
    memory: "256 MB",
    timeout: "2 minutes",
    // The next minute's does what this one didn't.
    retries: 0,
    // It is called 43,800 times a month, and would pay most of its bill for saying so.
    traced: false,
    reserved: reserved.sweep,
    key: storage.key,
    environment: { ...storage.environment, WORKER: worker.name },
    permissions: [storage.records, storage.blobNames, storage.readBlobs, storage.deleteBlobs, invoke(worker)],
  })
  new sst.aws.CronV2("EveryMinute", { schedule: "rate(1 minute)", function: sweep, retries: 0 })
  return sweep
}
