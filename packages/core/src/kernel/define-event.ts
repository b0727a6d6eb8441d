import * as z from "zod"

/** A type of event that may belong to a run, with its payload. */
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

/** A type of event that always belongs to a run. */
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

/** A type of event that is about one agent of the session, whether or not that has a run. */
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
