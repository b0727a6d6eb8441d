import { sweep } from "@switchyard/core/work/runs/sweep"
import { withoutTracing } from "../tracing.ts"
import { openCloud } from "./cloud.ts"
import { abortBeforeDeadline, type Invocation } from "./deadline.ts"
import { SUSPENDS_TASKS } from "./ecs-target.ts"
import type { Payload } from "./launcher.ts"
import { createLazyInvoke } from "./lazy-invoke.ts"
import type { SlotsPayload } from "./slots-payload.ts"
import { isInUse } from "./stage-places.ts"
import { isTendingDue } from "./tending.ts"

const cloud = await openCloud(withoutTracing(process.env), { writer: "sweep" })
const { clock, logLine, core, report } = cloud
const invoke = createLazyInvoke()

/** Does the work that is due. A minute later, the next sweep continues. */
export async function handler(_event: unknown, context: Invocation): Promise<void> {
  const startedAt = clock.monotonic()
  const options = { signal: abortBeforeDeadline(context) }
  if (cloud.withAgents) await Promise.all([tendRunners(options).catch(report), checkSlots(options).catch(report)])
  await sweep(core.sweep, options)
  logLine("sweep", { request_id: context.awsRequestId, duration_ms: Math.round(clock.monotonic() - startedAt) })
}

/** Invokes a worker to look after waiting and parked runners, if there is anything to do. */
async function tendRunners(options: { signal: AbortSignal }): Promise<void> {
  const { worker, warmRunners } = cloud
  if (!worker) return
  const isDue = await isTendingDue(core.executor, { warmRunners, suspends: SUSPENDS_TASKS }, options)
  if (!isDue) return
  const payload: Payload = { warm: "keep" }
  await invoke(worker, payload, options)
}

/** Has the slots of runners compared with the running tasks, if any slot is in use or a session is waiting. */
async function checkSlots(options: { signal: AbortSignal }): Promise<void> {
  const { slots } = cloud
  if (!slots || !(await isInUse(core.executor, options))) return
  const payload: SlotsPayload = { check: "slots" }
  await invoke(slots, payload, options)
}
