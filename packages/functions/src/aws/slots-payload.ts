import * as z from "zod"

/** Request to compare the slots with the running tasks. */
const CheckPayload = z.object({ check: z.literal("slots") })
/** EventBridge's "ECS Task State Change". The rule only sends events of stopped tasks in the stage's cluster. */
const TaskEvent = z.object({ detail: z.object({ taskArn: z.string(), lastStatus: z.literal("STOPPED") }) })

/** Payloads of the function that gives away runner slots. */
export const SlotsPayload = z.union([CheckPayload, TaskEvent])
export type SlotsPayload = z.infer<typeof SlotsPayload>
