import * as z from "zod"

/** Defines an event type that may or may not name a run. */
export function event<T extends string, Shape extends z.ZodRawShape>(type: T, description: string, payload: Shape) {
  return z
    .object({
      type: z.literal(type),
      run_id: z.string().optional(),
      agent_id: z.string().optional(),
      turn_id: z.string().optional(),
      ...payload,
    })
    .describe(description)
}

/** Defines an event type that always names a run. */
export function runEvent<T extends string, Shape extends z.ZodRawShape>(type: T, description: string, payload: Shape) {
  return z
    .object({
      type: z.literal(type),
      run_id: z.string(),
      agent_id: z.string(),
      turn_id: z.string().optional(),
      ...payload,
    })
    .describe(description)
}

/** Defines an event type that always names an agent, but not necessarily a run. */
export function agentEvent<T extends string, Shape extends z.ZodRawShape>(
  type: T,
  description: string,
  payload: Shape,
) {
  return z
    .object({
      type: z.literal(type),
      run_id: z.string().optional(),
      agent_id: z.string(),
      turn_id: z.string().optional(),
      ...payload,
    })
    .describe(description)
}
