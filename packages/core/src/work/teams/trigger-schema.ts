import * as z from "zod"
import { NodeId } from "./schema.ts"

/** Limits for a team's triggers, which keep the team's state small. */
export const MAX_TRIGGERS = 30
const MAX_MESSAGE_CHARS = 1000
const YEAR_S = 366 * 24 * 3600

/** Team events that can fire a trigger. */
const TriggerEvent = z.enum([
  "work_node_created",
  "work_node_checkpointed",
  "work_node_completed",
  "work_node_failed",
  "question_asked",
])

export const TriggerWhen = z.discriminatedUnion("type", [
  z.object({ type: z.literal("delayed"), delay_seconds: z.int().min(1).max(YEAR_S) }),
  z.object({ type: z.literal("at_time"), at: z.iso.datetime({ offset: true }) }),
  z.object({
    type: z.literal("scheduled"),
    cron: z.string().max(100).describe("Five fields: minute, hour, day of month, month, day of week"),
    timezone: z.string().max(60).describe("Such as `Europe/Berlin`"),
  }),
  z.object({ type: z.literal("heartbeat"), interval_seconds: z.int().min(60).max(YEAR_S) }),
  z.object({ type: z.literal("on_event"), event: TriggerEvent }),
  z.object({ type: z.literal("on_idle"), idle_seconds: z.int().min(60).max(YEAR_S) }),
  z.object({ type: z.literal("webhook") }),
])
export type TriggerWhen = z.infer<typeof TriggerWhen>

const message = z.string().trim().min(1).max(MAX_MESSAGE_CHARS)
export const TriggerAction = z.discriminatedUnion("type", [
  z.object({ type: z.literal("wake_agent"), message: message.describe("Message to the coordinator") }),
  z.object({ type: z.literal("send_message"), to: z.string().max(100).describe("A worker's name"), message }),
  z.object({ type: z.literal("run_node"), node_id: NodeId }).describe("Reruns a node that has ended"),
  z
    .object({ type: z.literal("run_callback"), webhook_id: z.string().max(80), message })
    .describe("Sends the message to your webhook with this id. Only a person can set this up"),
])
export type TriggerAction = z.infer<typeof TriggerAction>

export const TriggerStatus = z.enum(["active", "fired", "cancelled"])
export type TriggerStatus = z.infer<typeof TriggerStatus>

export const TeamTrigger = z
  .object({
    id: z.string(),
    when: TriggerWhen,
    action: TriggerAction,
    status: TriggerStatus,
    next_at: z.string().nullable().describe("Null unless the trigger is waiting for a time"),
    firings: z.int(),
    fired_at: z.string().nullable(),
  })
  .meta({ id: "TeamTrigger" })
export type TeamTrigger = z.infer<typeof TeamTrigger>
