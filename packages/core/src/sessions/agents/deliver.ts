import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import { type AnswerLinks, answerLink } from "../../people/access/answer-links.ts"
import type { SendWebhook } from "../../people/webhooks/send.ts"
import type { Webhooks } from "../../people/webhooks/webhooks.ts"
import type { Records } from "../../storage/records.ts"
import { findRun } from "../../work/runs/ended-runs.ts"
import type { Launcher } from "../../work/runs/launcher.ts"
import { describeRun } from "../run-view.ts"
import { sessionName } from "../session-name.ts"
import { ATTEMPT_WITHIN_MS, type DeliverySubject, deliveryKey, StoredDelivery } from "./deliveries.ts"
import type { Questions } from "./questions.ts"

export interface DeliverDeps extends SessionLogDeps {
  records: Records
  webhooks: Pick<Webhooks, "open">
  questions: Pick<Questions, "ofSession">
  launcher: Pick<Launcher, "waitingBefore">
  answerLinks: Pick<AnswerLinks, "sign">
  send: SendWebhook
  /** This server's public address, or undefined if unknown. */
  address: string | undefined
}

const MINUTE_MS = 60_000
/** Delay after each failed attempt, about fourteen hours in total. One more attempt follows the last delay. */
const RETRY_AFTER_MS = [1, 2, 5, 15, 60, 180, 600].map((minutes) => minutes * MINUTE_MS)
export const MAX_ATTEMPTS = RETRY_AFTER_MS.length + 1
const LINK_MS = 24 * 60 * MINUTE_MS

/**
 * Sends a due delivery to its webhook and stores the outcome. If several processes try at the same time, only one
 * sends. If the webhook's reply is lost, the webhook may receive the delivery twice, with the same ID.
 */
export async function deliver(
  deps: DeliverDeps,
  subject: DeliverySubject,
  options: { signal: AbortSignal },
): Promise<void> {
  const { records, clock } = deps
  const key = deliveryKey(subject)
  const record = await records.get(key, options)
  if (!record) return
  const delivery = StoredDelivery.parse(record.value)
  const now = clock.now()
  if (delivery.status !== "pending" || delivery.next_at > now) return
  // Count each attempt before making it. Otherwise, an attempt that kills its process would be repeated forever.
  if (delivery.attempts >= MAX_ATTEMPTS) {
    const value: StoredDelivery = {
      ...delivery,
      status: "failed",
      error: delivery.error ?? "The last attempt never ended.",
    }
    await records.put(key, { value }, { ifVersion: record.version, ...options })
    return
  }
  const attempts = delivery.attempts + 1
  const claimed = { ...delivery, attempts, next_at: now + (RETRY_AFTER_MS[attempts - 1] ?? ATTEMPT_WITHIN_MS) }
  const version = await records.put(key, { value: claimed }, { ifVersion: record.version, ...options })
  if (version === undefined) return
  const error = await attempt(deps, subject, claimed, options)
  const failed = error !== undefined && (error.isFinal || attempts >= MAX_ATTEMPTS)
  const status = error === undefined ? "delivered" : failed ? "failed" : "pending"
  const value: StoredDelivery = { ...claimed, status, error: error?.reason ?? null }
  await records.put(key, { value }, { ifVersion: version, ...options })
}

/**
 * Makes one attempt. Returns undefined on success, or the reason for the failure. `isFinal` means that a retry can't
 * succeed.
 */
async function attempt(
  deps: DeliverDeps,
  subject: DeliverySubject,
  delivery: StoredDelivery,
  options: { signal: AbortSignal },
): Promise<{ reason: string; isFinal: boolean } | undefined> {
  const webhook = await deps.webhooks.open(delivery.owner, delivery.webhook_id, options)
  if (!webhook) return { reason: "The webhook was deleted.", isFinal: true }
  const about = await contentOf(deps, delivery, options)
  if (!about) return { reason: "The question or session no longer exists.", isFinal: true }
  const { event, session_id, created_at } = delivery
  const head = { id: subject.delivery, event, created_at: new Date(created_at).toISOString(), session_id }
  const body = JSON.stringify({ ...head, ...about })
  const reason = await deps.send({ url: webhook.url, secret: webhook.secret, id: subject.delivery, body }, options)
  return reason === undefined ? undefined : { reason, isFinal: false }
}

/**
 * Returns the current content of a delivery. Undefined if its question no longer needs an answer, or its session is
 * gone.
 */
async function contentOf(deps: DeliverDeps, delivery: StoredDelivery, options: { signal: AbortSignal }) {
  const { sid, owner, session_id, run_id, question_id, trigger } = delivery
  const { state } = await openSessionLog(deps, sid, options)
  if (!isLive(state)) return undefined
  const session_name = sessionName(state)
  if (trigger) return { session_name, trigger }
  if (question_id === null) {
    const run = await findRun(deps.records, { sid, state }, run_id, options)
    if (!run) return undefined
    const ref = { run_id, owner, sid, session_id, created_at: Date.parse(run.createdAt) }
    return { session_name, run: await describeRun(deps, { ref, run, usage: state.usage.runs[run_id] }, options) }
  }
  const waiting = await deps.questions.ofSession({ sid, sessionId: session_id, state }, options)
  const question = waiting.find((one) => one.question_id === question_id)
  if (!question) return undefined
  const expires = deps.clock.now() + LINK_MS
  const link = answerLink(deps.answerLinks.sign({ owner, session_id, question_id, expires }))
  return { session_name, question, answer_link: `${deps.address ?? ""}${link}` }
}
