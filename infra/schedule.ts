/// <reference path="../.sst/platform/config.d.ts" />
import { createFunction, invoke } from "./function.ts"
import { reserved } from "./stage.ts"
import type { Storage } from "./storage.ts"

/** Creates the sweep, which does due work once a minute: restarts runs, and deletes expired data. */
export function createSchedule({ storage, worker }: { storage: Storage; worker: sst.aws.Function }): sst.aws.Function {
  const sweep = createFunction("Sweep", {
    handler: "packages/functions/src/aws/sweep.handler",
    description: "Does due work",
    memory: "256 MB",
    timeout: "2 minutes",
    // The next minute's sweep continues.
    retries: 0,
    // With 43,800 calls a month, tracing would be most of its bill.
    traced: false,
    reserved: reserved.sweep,
    key: storage.key,
    environment: { ...storage.environment, WORKER: worker.name },
    permissions: [storage.records, storage.blobNames, storage.readBlobs, storage.deleteBlobs, invoke(worker)],
  })
  new sst.aws.CronV2("EveryMinute", { schedule: "rate(1 minute)", function: sweep, retries: 0 })
  return sweep
}
