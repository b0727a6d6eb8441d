import { AppError } from "../../../errors.ts"
import type { NewEvent } from "../../../events.ts"
import type { Verdict } from "../../../kernel/session-log.ts"
import { nodeOf, refused, workerOf } from "../refusals.ts"
import { COORDINATOR, HUMAN } from "../schema.ts"
import { nodeOfWorker, type TeamState } from "../state.ts"
import { queuedFor } from "../team-rules.ts"
import { MAX_TRIGGERS, type TriggerAction, type TriggerWhen } from "../trigger-schema.ts"
import { activeTriggers, type TriggerState } from "../trigger-state.ts"
import { firstTime, nextTime } from "./trigger-times.ts"

export interface NewTrigger {
  triggerId: string
  when: TriggerWhen
  action: TriggerAction
  /** ID of the member that requests the trigger. */
  by: string
}

export function createTrigger(team: TeamState, { triggerId, when, action, by }: NewTrigger, now: number): Verdict {
  if (activeTriggers(team.triggers).length >= MAX_TRIGGERS)
    return refused(`A team can have at most ${MAX_TRIGGERS} active triggers. Cancel one first.`)
  if (when.type === "webhook" && by !== HUMAN)
    return refused("Only a person can create a webhook trigger, because its URL is secret.")
  if (action.type === "run_callback" && by !== HUMAN)
    return refused("Only a person can create a trigger that calls a webhook.")
  const resolved = resolveAction(team, action)
  if (resolved instanceof AppError) return resolved
  const next = firstTime(when, now)
  if (next instanceof AppError) return next
  return [
    { type: "trigger_created", ...aboutTeam(team), trigger_id: triggerId, when, action: resolved, by, next_at: next },
  ]
}

/** Replaces a worker's name with the worker's ID, because inboxes are keyed by ID. */
function resolveAction(team: TeamState, action: TriggerAction): TriggerAction | AppError {
  if (action.type === "run_node") {
    const node = nodeOf(team, action.node_id)
    return node instanceof AppError ? node : action
  }
  if (action.type !== "send_message" || action.to.toLowerCase() === COORDINATOR) return action
  const worker = workerOf(team, action.to)
  return worker instanceof AppError ? worker : { ...action, to: worker.workerId }
}

/** Cancels a trigger. Does nothing if the trigger has already ended. */
export function cancelTrigger(team: TeamState, triggerId: string): Verdict {
  const trigger = triggerOf(team, triggerId)
  if (trigger instanceof AppError) return trigger
  if (trigger.status !== "active") return []
  return [{ type: "trigger_cancelled", ...aboutTeam(team), trigger_id: triggerId }]
}

/**
 * Fires all due triggers. Each trigger's next due time is set at once, so repeated calls don't fire a trigger twice. If
 * a trigger missed several times, it fires once and reports how many it missed.
 */
export function fireDue(team: TeamState, now: number): NewEvent[] {
  if (team.halted) return []
  return activeTriggers(team.triggers).flatMap((trigger) => {
    if (trigger.matches.length > 0) return firing(team, trigger, { missed: trigger.matches.length - 1 })
    const { nextAt: dueAt } = trigger
    if (dueAt === null || Date.parse(dueAt) > now) return []
    const { next, missed } = nextTime(trigger.when, dueAt, now)
    return firing(team, trigger, { dueAt, next, missed })
  })
}

/** Fires a webhook trigger, once per delivery. */
export function fireWebhook(
  team: TeamState,
  triggerId: string,
  { deliveryId, payload }: { deliveryId: string; payload: string },
): Verdict {
  const trigger = triggerOf(team, triggerId)
  if (trigger instanceof AppError) return trigger
  if (trigger.status !== "active") return new AppError("not_found", "This webhook has been cancelled.")
  if (trigger.deliveries.includes(deliveryId)) return []
  return firing(team, trigger, { missed: 0, deliveryId, payload })
}

interface Firing {
  missed: number
  dueAt?: string
  next?: string | null
  deliveryId?: string
  payload?: string
}

function firing(
  team: TeamState,
  trigger: TriggerState,
  { missed, dueAt, next, deliveryId, payload }: Firing,
): NewEvent[] {
  const { triggerId, action, firings } = trigger
  const isLate = dueAt !== undefined && { due_at: dueAt }
  const about = { ...aboutTeam(team), trigger_id: triggerId, firing: firings + 1, missed, next_at: next ?? null }
  const given = { ...(deliveryId !== undefined && { delivery_id: deliveryId }), ...(payload && { payload }) }
  const to = recipientOf(action)
  const started = action.type === "run_node" ? runAgain(team, action.node_id) : []
  const message = messageOf(action, started)
  const told = queuedFor(team, { from: COORDINATOR, to, content: message, messageId: `${triggerId}-${firings + 1}` })
  return [{ type: "trigger_fired", ...about, ...isLate, ...given, to, message }, ...started, ...told]
}

function recipientOf(action: TriggerAction): string {
  if (action.type === "send_message") return action.to
  return action.type === "run_callback" ? HUMAN : COORDINATOR
}

function messageOf(action: TriggerAction, started: NewEvent[]): string {
  if (action.type !== "run_node") return action.message
  if (started.length > 0) return `${action.node_id} was started again.`
  return `${action.node_id} should be run again, but it or its worker is busy. Decide what to do.`
}

/** Reopens an ended node and assigns it to its worker again. Does nothing if the worker is busy. */
function runAgain(team: TeamState, nodeId: string): NewEvent[] {
  const node = team.nodes[nodeId]
  if (!node || node.workerId === null || !["completed", "failed"].includes(node.status)) return []
  if (nodeOfWorker(team, node.workerId)) return []
  const about = { ...aboutTeam(team), node_id: nodeId }
  return [
    { type: "work_node_reopened", ...about, anew: true },
    { type: "work_node_assigned", ...about, worker_id: node.workerId },
  ]
}

function triggerOf(team: TeamState, triggerId: string): TriggerState | AppError {
  const trigger = Object.hasOwn(team.triggers, triggerId) ? team.triggers[triggerId] : undefined
  return trigger ?? new AppError("not_found", `There is no trigger ${triggerId}.`, { trigger_id: triggerId })
}

function aboutTeam({ runId }: TeamState) {
  return { run_id: runId, agent_id: COORDINATOR }
}
