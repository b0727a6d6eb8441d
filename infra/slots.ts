/// <reference path="../.sst/platform/config.d.ts" />
import { allowInvoke, createFunction, invoke, type LiveFunction } from "./function.ts"
import type { Runner } from "./runner.ts"
import type { Storage } from "./storage.ts"

/**
 * Creates the function that gives freed runner slots to waiting sessions, and the rule that calls it when a container
 * has stopped. The sweep calls it, too, because an event may be lost.
 */
export function createSlots(deps: { storage: Storage; worker: LiveFunction; runner: Runner }) {
  const { storage, worker, runner } = deps
  const fn = createFunction("Slots", {
    handler: "packages/functions/src/aws/slots.handler",
    description: "Gives free runner slots to waiting sessions",
    memory: "256 MB",
    timeout: "1 minute",
    // Don't retry, because the sweep calls again a minute later.
    retries: 0,
    traced: false,
    key: storage.key,
    environment: { ...storage.environment, WORKER: worker.invokeName, CLUSTER: runner.cluster.name },
    permissions: [
      storage.records,
      storage.blobNames,
      storage.readBlobs,
      // This action can't be limited to a resource.
      {
        actions: ["ecs:ListTasks"],
        resources: ["*"],
        conditions: [{ test: "ArnEquals", variable: "ecs:cluster", values: [runner.cluster.arn] }],
      },
      invoke(worker),
    ],
  })
  const rule = new aws.cloudwatch.EventRule("RunnerStopped", {
    description: "A runner's container has stopped",
    eventPattern: $jsonStringify({
      source: ["aws.ecs"],
      "detail-type": ["ECS Task State Change"],
      detail: { clusterArn: [runner.cluster.arn], lastStatus: ["STOPPED"] },
    }),
  })
  new aws.cloudwatch.EventTarget("RunnerStoppedTarget", { rule: rule.name, arn: fn.arn })
  allowInvoke("RunnerStoppedInvoke", fn, { principal: "events.amazonaws.com", sourceArn: rule.arn })
  return { fn, name: fn.invokeName, invoke: invoke(fn) }
}

export type Slots = ReturnType<typeof createSlots>
