import { openSessionLog } from "@switchyard/core/kernel/session-log"
import * as z from "zod"
import { withoutTracing } from "../tracing.ts"
import { checkPlaces } from "./check-places.ts"
import { openCloud } from "./cloud.ts"
import { abortBeforeDeadline, type Invocation } from "./deadline.ts"
import { SUSPENDS_TASKS } from "./ecs-target.ts"
import { ecsTaskIdOf } from "./executor-name.ts"
import { followGrants, grantsOf } from "./follow-grants.ts"
import { needsRunner } from "./launch-goal.ts"
import type { Payload } from "./launcher.ts"
import { createLazyInvoke } from "./lazy-invoke.ts"
import { placeLimits } from "./place-rules.ts"
import { MAX_COUNTED } from "./runner-queue.ts"
import { SlotsPayload } from "./slots-payload.ts"
import { createStagePlaces } from "./stage-places.ts"

const env = withoutTracing(process.env)
const { CLUSTER: cluster, WORKER: worker } = z
  .object({ CLUSTER: z.string().min(1), WORKER: z.string().min(1) })
  .parse(env)
const { clock, logLine, report, config, core } = await openCloud(env, { writer: "slots" })
const invoke = createLazyInvoke()
const places = createStagePlaces({ ...core.executor, limits: placeLimits(config.runners) })

/**
 * Gives free slots to waiting sessions, and has workers launch these sessions. An event about a stopped task is only a
 * hint: it may be late, repeated or lost. So the sweep requests a comparison with the running tasks once a minute.
 */
export async function handler(payload: unknown, context: Invocation): Promise<void> {
  const request = SlotsPayload.parse(payload)
  const startedAt = clock.monotonic()
  const options = { signal: abortBeforeDeadline(context) }
  const reason = "check" in request ? "check" : "event"
  const grants = "check" in request ? check(options) : free(request.detail.taskArn, options)
  const granted = await followGrants({ ...core.executor, places, launch, report }, grants, options)
  const waiting = reason === "check" ? await countWaiting(options) : undefined
  logLine("slots", { reason, granted, waiting, duration_ms: Math.round(clock.monotonic() - startedAt) })
}

/** Returns the number of sessions that wait for a slot, or `MAX_COUNTED` if there are more. */
async function countWaiting(options: { signal: AbortSignal }): Promise<number> {
  let count = 0
  for await (const _ of places.waiting(options)) if (++count === MAX_COUNTED) break
  return count
}

function free(taskArn: string, options: { signal: AbortSignal }): AsyncGenerator<string> {
  const task = taskArn.split("/").at(-1) ?? ""
  return grantsOf((onGranted) => places.taskStopped(task, { onGranted, ...options }))
}

async function* check(options: { signal: AbortSignal }): AsyncGenerator<string> {
  const ecs = await import("./ecs.ts")
  const runningTasks = (given: typeof options) => ecs.runningTasks(cluster, ecs.createEcsClient(), given)
  yield* checkPlaces({ clock, places, suspends: SUSPENDS_TASKS, runningTasks, lookAt, report }, options)
}

async function lookAt(sid: string, options: { signal: AbortSignal }) {
  const { state } = await openSessionLog(core.executor, sid, options)
  const { executor } = state.runner
  return { task: executor === null ? null : ecsTaskIdOf(executor), needsRunner: needsRunner(state) }
}

async function launch(sid: string, options: { signal: AbortSignal }): Promise<void> {
  const granted: Payload = { granted: sid }
  await invoke(worker, granted, options)
}
