import * as z from "zod"

/** Kinds of events that can be sent to a webhook. */
export const WebhookEvent = z.enum(["question_asked", "run_ended"])
export type WebhookEvent = z.infer<typeof WebhookEvent>

const Address = z
  .url({ protocol: /^https?$/, error: "The URL must start with https:// or http://." })
  .max(2000)
  .refine((text) => !hasCredentials(text), "The URL must not contain credentials. Deliveries are signed instead.")

export const NewWebhook = z
  .strictObject({
    url: Address,
    events: z.array(WebhookEvent).min(1).max(WebhookEvent.options.length).default(WebhookEvent.options),
  })
  .meta({ id: "NewWebhook" })
export type NewWebhook = z.infer<typeof NewWebhook>

/** A webhook as returned by the API, without its secret. */
export const Webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(WebhookEvent),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Webhook" })
export type Webhook = z.infer<typeof Webhook>

/** A new webhook with its signing secret. */
export const CreatedWebhook = Webhook.extend({ secret: z.string().describe("Shown only once") }).meta({
  id: "CreatedWebhook",
})
export type CreatedWebhook = z.infer<typeof CreatedWebhook>

/**
 * A firing of a team's trigger that names a webhook. The webhook is called even if it doesn't subscribe to such events.
 */
export const TriggerCall = z.object({
  trigger_id: z.string(),
  firing: z.int().positive().describe("How many times this trigger has fired, including this time"),
  message: z.string(),
  fired_at: z.iso.datetime(),
})
export type TriggerCall = z.infer<typeof TriggerCall>

/** A delivery to a webhook, past or pending. */
export const Delivery = z
  .object({
    id: z.string(),
    webhook_id: z.string(),
    event: z.enum([...WebhookEvent.options, "trigger_fired"]),
    session_id: z.string(),
    run_id: z.string(),
    question_id: z.string().nullable(),
    trigger: TriggerCall.nullable().describe("Set for `trigger_fired`"),
    status: z.enum(["pending", "delivered", "failed"]),
    attempts: z.int().nonnegative(),
    next_attempt_at: z.iso.datetime().nullable(),
    error: z.string().nullable().describe("Why the last attempt failed"),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Delivery" })
export type Delivery = z.infer<typeof Delivery>

function hasCredentials(text: string): boolean {
  const url = URL.parse(text)
  return url === null || url.username !== "" || url.password !== ""
}
