import * as z from "zod"
import type { DueList, DueSubject } from "../../kernel/due.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import { Delivery, WebhookEvent } from "../../people/webhooks/schema.ts"
import type { Webhooks } from "../../people/webhooks/webhooks.ts"
import type { Records, StoredRecord } from "../../storage/records.ts"
import { findRun } from "../../work/runs/ended-runs.ts"
import { isForAnother } from "../../work/runs/kinds.ts"
import type { Launcher } from "../../work/runs/launcher.ts"
import type { RunIndex } from "../../work/runs/run-index.ts"
import { isEnded } from "../../work/runs/state.ts"

/** A delivery to a webhook, stored until it is taken and then for as long as it could be asked for again. */
export const StoredDelivery = z.object({
  owner: z.string(),
  webhook_id: z.string(),
  event: WebhookEvent,
  sid: z.string(),
  session_id: z.string(),
  run_id: z.string(),
  question_id: z.string().nullable(),
  status: Delivery.shape.status,
  attempts: z.int(),
  /** Unix milliseconds: before it, nobody tries. */
  next_at: z.number(),
  error: z.string().nullable(),
  created_at: z.number(),
})
export type StoredDelivery = z.infer<typeof StoredDelivery>

export type DeliverySubject = Omit<Extract<DueSubject, { kind: "delivery" }>, "kind">

/** The deliveries to webhooks. Each is stored before the first attempt, and tried until it is taken or has failed too often. */
export interface Deliveries {
  /** Stores what a run that has moved gives to tell, once for each webhook of its owner. */
  update(session: Pick<SessionLog, "sid" | "state">, runId: string, options: { signal: AbortSignal }): Promise<void>
  /** Looks after a delivery whose hint is due. */
  sweep(subject: DeliverySubject, options: { signal: AbortSignal }): Promise<void>
  /** The newest deliveries to a webhook. */
  list(owner: string, webhookId: string, options: { signal: AbortSignal }): Promise<Delivery[]>
}

/** The time after which an attempt that nobody heard of again counts as failed. */
export const ATTEMPT_WITHIN_MS = 60_000
const RETENTION_SECONDS = 7 * 86_400
const MAX_LISTED = 50

export function createDeliveries(deps: {
  records: Records
  due: DueList
  index: RunIndex
  webhooks: Pick<Webhooks, "list">
  launcher: Pick<Launcher, "startDelivery">
  clock: { now(): number }
}): Deliveries {
  const { records, due, clock } = deps

  async function store(delivery: StoredDelivery, options: { signal: AbortSignal }): Promise<void> {
    const subject = subjectOf(delivery)
    const key = deliveryKey(subject)
    if (await records.get(key, options)) return
    // The hint comes first, as everywhere: a delivery without one would be forgotten.
    await due.add({ kind: "delivery", ...subject }, delivery.next_at + ATTEMPT_WITHIN_MS, options)
    const expiresAt = Math.ceil(delivery.created_at / 1000) + RETENTION_SECONDS
    const stored = await records.put(key, { value: delivery }, { ifAbsent: true, expiresAt, ...options })
    if (stored !== undefined) await deps.launcher.startDelivery?.(subject, options)
  }

  return {
    async update({ sid, state }, runId, options) {
      const questions = state.questions.waiting.filter((question) => question.runId === runId)
      const run = await findRun(records, { sid, state }, runId, options)
      const end = run && isEnded(run) && !isForAnother(run) ? run.endedAt : null
      if (questions.length === 0 && end === null) return
      const ref = await deps.index.get(runId, options)
      if (!ref) return
      const asked = questions.map(({ questionId, askedAt }) => ({
        event: "question_asked" as const,
        questionId,
        at: askedAt,
      }))
      const ended = end === null ? [] : [{ event: "run_ended" as const, questionId: null, at: end }]
      const now = clock.now()
      for (const webhook of await deps.webhooks.list(ref.owner, options)) {
        const wanted = [...asked, ...ended].filter(({ event }) => webhook.events.includes(event))
        // Nobody is told what happened before they asked to be.
        for (const { event, questionId } of wanted.filter(({ at }) => at >= webhook.created_at)) {
          const { owner, session_id } = ref
          const about = {
            owner,
            sid,
            session_id,
            run_id: runId,
            event,
            question_id: questionId,
            webhook_id: webhook.id,
          }
          await store({ ...about, status: "pending", attempts: 0, next_at: now, error: null, created_at: now }, options)
        }
      }
    },
    async sweep(subject, options) {
      const record = await records.get(deliveryKey(subject), options)
      if (!record) return
      const { status, next_at } = StoredDelivery.parse(record.value)
      if (status !== "pending") return
      const now = clock.now()
      await due.add({ kind: "delivery", ...subject }, Math.max(next_at, now) + ATTEMPT_WITHIN_MS, options)
      if (next_at <= now) await deps.launcher.startDelivery?.(subject, options)
    },
    async list(owner, webhookId, options) {
      const found = records.range(partitionOf(owner), { from: `${webhookId}/`, to: `${webhookId}/~`, ...options })
      const all = (await Array.fromAsync(found)).map(toDelivery)
      return all.sort((a, b) => b.created_at.localeCompare(a.created_at)).slice(0, MAX_LISTED)
    },
  }
}

/** The subject of a delivery's hint: a webhook is told each thing once. */
function subjectOf({ owner, sid, webhook_id, question_id, run_id }: StoredDelivery): DeliverySubject {
  return { sid, owner, delivery: `${webhook_id}/${question_id ?? run_id}` }
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
