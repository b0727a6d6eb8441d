import * as z from "zod"

/** The kinds of events that are sent to a webhook. */
export const WebhookEvent = z.enum(["question_asked", "run_ended"])
export type WebhookEvent = z.infer<typeof WebhookEvent>

const Address = z
  .url({ protocol: /^https?$/, error: "The URL must begin with https:// or http://." })
  .max(2000)
  .refine((text) => !hasCredentials(text), "The URL must not have a user. What is sent is signed.")

/** A webhook that is to be kept. */
export const NewWebhook = z
  .strictObject({
    url: Address,
    events: z.array(WebhookEvent).min(1).max(WebhookEvent.options.length).default(WebhookEvent.options),
  })
  .meta({ id: "NewWebhook" })
export type NewWebhook = z.infer<typeof NewWebhook>

/** A webhook as the API shows it: all but its secret. */
export const Webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(WebhookEvent),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Webhook" })
export type Webhook = z.infer<typeof Webhook>

/** A webhook that was made just now, with the secret that signs what it is sent. */
export const CreatedWebhook = Webhook.extend({ secret: z.string().describe("Told this once") }).meta({
  id: "CreatedWebhook",
})
export type CreatedWebhook = z.infer<typeof CreatedWebhook>

/** The firing of a team's trigger that names a webhook, which is told of it whatever its events are. */
export const TriggerCall = z.object({
  trigger_id: z.string(),
  firing: z.int().positive().describe("Of this trigger, counted from one"),
  message: z.string(),
  fired_at: z.iso.datetime(),
})
export type TriggerCall = z.infer<typeof TriggerCall>

/** Something that a webhook was or will be told. */
export const Delivery = z
  .object({
    id: z.string(),
    webhook_id: z.string(),
    event: z.enum([...WebhookEvent.options, "trigger_fired"]),
    session_id: z.string(),
    run_id: z.string(),
    question_id: z.string().nullable(),
    trigger: TriggerCall.nullable().describe("Of `trigger_fired`"),
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
