import * as z from "zod"
import type { DueList, DueSubject } from "../../kernel/due.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import { Delivery, TriggerCall } from "../../people/webhooks/schema.ts"
import type { Webhooks } from "../../people/webhooks/webhooks.ts"
import type { SessionState } from "../../state.ts"
import type { Records, StoredRecord } from "../../storage/records.ts"
import { findRun } from "../../work/runs/ended-runs.ts"
import { isForAnother } from "../../work/runs/kinds.ts"
import type { Launcher } from "../../work/runs/launcher.ts"
import type { RunIndex } from "../../work/runs/run-index.ts"
import { isEnded } from "../../work/runs/state.ts"

/**
 * Stored delivery to a webhook. An accepted delivery is kept for as long as the same delivery might be requested again.
 */
export const StoredDelivery = z.object({
  owner: z.string(),
  webhook_id: z.string(),
  event: Delivery.shape.event,
  sid: z.string(),
  session_id: z.string(),
  run_id: z.string(),
  question_id: z.string().nullable(),
  // Null by default: pending deliveries may have been stored before triggers could call webhooks.
  trigger: TriggerCall.nullable().default(null),
  status: Delivery.shape.status,
  attempts: z.int(),
  /** Time of the next attempt, in Unix milliseconds. */
  next_at: z.number(),
  error: z.string().nullable(),
  created_at: z.number(),
})
export type StoredDelivery = z.infer<typeof StoredDelivery>

export type DeliverySubject = Omit<Extract<DueSubject, { kind: "delivery" }>, "kind">

/**
 * Deliveries to webhooks. Each delivery is stored before its first attempt, and retried until it is accepted or has
 * failed too often.
 */
export type Deliveries = ReturnType<typeof createDeliveries>

/** An attempt that has no result after this time counts as failed. */
export const ATTEMPT_WITHIN_MS = 60_000
const RETENTION_SECONDS = 7 * 86_400
/**
 * Maximum age of the trigger firings to deliver. Deliveries for older firings were stored long ago, unless no process
 * ran for a day.
 */
const CALLS_WITHIN_MS = 86_400_000
const MAX_LISTED = 50

export function createDeliveries(deps: {
  records: Records
  due: DueList
  index: RunIndex
  webhooks: Pick<Webhooks, "list">
  launcher: Pick<Launcher, "startDelivery">
  clock: { now(): number }
}) {
  const { records, due, clock } = deps

  async function store(delivery: StoredDelivery, options: { signal: AbortSignal }): Promise<void> {
    const subject = subjectOf(delivery)
    const key = deliveryKey(subject)
    if (await records.get(key, options)) return
    // Add the hint first. Otherwise, a crash could leave a delivery that is never sent.
    await due.add({ kind: "delivery", ...subject }, delivery.next_at + ATTEMPT_WITHIN_MS, options)
    const expiresAt = Math.ceil(delivery.created_at / 1000) + RETENTION_SECONDS
    const stored = await records.put(key, { value: delivery }, { ifAbsent: true, expiresAt, ...options })
    if (stored !== undefined) await deps.launcher.startDelivery?.(subject, options)
  }

  return {
    /**
     * Stores the deliveries that a change to a run causes: one for each of the owner's webhooks that subscribes to the
     * change.
     */
    async update({ sid, state }: Pick<SessionLog, "sid" | "state">, runId: string, options: { signal: AbortSignal }) {
      const questions = state.questions.waiting.filter((question) => question.runId === runId)
      const run = await findRun(records, { sid, state }, runId, options)
      const end = run && isEnded(run) && !isForAnother(run) ? run.endedAt : null
      const now = clock.now()
      const calls = callsOf(state, runId, now)
      if (questions.length === 0 && end === null && calls.length === 0) return
      const ref = await deps.index.get(runId, options)
      if (!ref) return
      const asked = questions.map(({ questionId, askedAt }) => ({
        event: "question_asked" as const,
        questionId,
        at: askedAt,
      }))
      const ended = end === null ? [] : [{ event: "run_ended" as const, questionId: null, at: end }]
      const { owner, session_id } = ref
      const fresh = { status: "pending" as const, attempts: 0, next_at: now, error: null, created_at: now }
      const about = { owner, sid, session_id, run_id: runId, ...fresh }
      for (const { id: webhook_id, events, created_at } of await deps.webhooks.list(owner, options)) {
        const wanted = [...asked, ...ended].filter(({ event }) => events.includes(event))
        // A webhook doesn't receive events from before it was created.
        for (const { event, questionId: question_id } of wanted.filter(({ at }) => at >= created_at))
          await store({ ...about, event, question_id, trigger: null, webhook_id }, options)
        for (const { trigger } of calls.filter((call) => call.webhookId === webhook_id))
          await store({ ...about, event: "trigger_fired", question_id: null, trigger, webhook_id }, options)
      }
    },
    /** Handles a due hint for a delivery: starts the next attempt if it is due, and adds another hint. */
    async sweep(subject: DeliverySubject, options: { signal: AbortSignal }): Promise<void> {
      const record = await records.get(deliveryKey(subject), options)
      if (!record) return
      const { status, next_at } = StoredDelivery.parse(record.value)
      if (status !== "pending") return
      const now = clock.now()
      await due.add({ kind: "delivery", ...subject }, Math.max(next_at, now) + ATTEMPT_WITHIN_MS, options)
      if (next_at <= now) await deps.launcher.startDelivery?.(subject, options)
    },
    /** Lists a webhook's newest deliveries. */
    async list(owner: string, webhookId: string, options: { signal: AbortSignal }): Promise<Delivery[]> {
      const found = records.range(partitionOf(owner), { from: `${webhookId}/`, to: `${webhookId}/~`, ...options })
      const all = (await Array.fromAsync(found)).map(toDelivery)
      return all.sort((a, b) => b.created_at.localeCompare(a.created_at)).slice(0, MAX_LISTED)
    },
  }
}

/** Returns the last day's trigger firings that call a webhook. */
function callsOf({ team }: Pick<SessionState, "team">, runId: string, now: number) {
  if (team?.runId !== runId) return []
  return Object.values(team.triggers).flatMap(({ triggerId: trigger_id, action, calls }) => {
    if (action.type !== "run_callback") return []
    const { webhook_id: webhookId, message } = action
    const known = calls.filter(({ at }) => Date.parse(at) > now - CALLS_WITHIN_MS)
    return known.map(({ firing, at: fired_at }) => ({ webhookId, trigger: { trigger_id, firing, message, fired_at } }))
  })
}

/** Returns the subject of a delivery's hint. It is unique for each combination of a webhook and an occurrence. */
function subjectOf({ owner, sid, webhook_id, question_id, run_id, trigger }: StoredDelivery): DeliverySubject {
  const what = trigger ? `${trigger.trigger_id}-${trigger.firing}` : (question_id ?? run_id)
  return { sid, owner, delivery: `${webhook_id}/${what}` }
}

export function deliveryKey({ owner, delivery }: DeliverySubject) {
  return { partition: partitionOf(owner), sort: delivery }
}

function partitionOf(owner: string): string {
  return `deliveries/${owner}`
}

function toDelivery({ key, value }: StoredRecord): Delivery {
  const { sid: _, owner: __, next_at, created_at, ...rest } = StoredDelivery.parse(value)
  const next = rest.status === "pending" ? new Date(next_at).toISOString() : null
  return { ...rest, id: key.sort, next_attempt_at: next, created_at: new Date(created_at).toISOString() }
}
