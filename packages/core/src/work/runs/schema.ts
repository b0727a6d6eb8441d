import * as z from "zod"
import { Verdict } from "../gate/schema.ts"

export const RunStatus = z.enum(["queued", "running", "parked", "completed", "failed", "cancelled"])
export type RunStatus = z.infer<typeof RunStatus>

const ENDS: ReadonlySet<string> = new Set(["run_completed", "run_failed", "run_cancelled"])

/** Returns true for an event that ends a run. */
export function endsRun({ type }: { type: string }): boolean {
  return ENDS.has(type)
}

/** Conditions that wake a parked run. Any one of them suffices. */
export const WaitsFor = z.object({
  question: z.string().optional().describe("The answer to this question"),
  run: z.string().optional().describe("The end of this run"),
  message: z.boolean().optional().describe("A message to the run's agent"),
  any_run: z.boolean().optional().describe("The end of any run in the session"),
  team: z.boolean().optional().describe("The resumption of the run's paused or stopped team"),
  events: z.array(z.string()).optional().describe("An event of one of these types"),
  budget: z.boolean().optional().describe("Room in the owner's budget, after it is raised"),
  until: z.iso.datetime().optional(),
  login: z
    .boolean()
    .optional()
    .describe("The account's login, which is in use by another task; checked again at `until`"),
})
export type WaitsFor = z.infer<typeof WaitsFor>

/** Estimated cost of a run, based on the usage recorded so far. */
export const RunCost = z
  .object({
    cost_usd: z
      .number()
      .nullable()
      .describe(
        "Model cost: list prices plus search fees, or the cost reported by the agent's program; null if unknown",
      ),
    cost_is_complete: z.boolean().describe("False if part of the usage has no known price or wasn't reported"),
    prices_as_of: z.string().describe("Date of the list prices"),
    machine_seconds: z
      .number()
      .nullable()
      .describe(
        "Run time of containers and functions on AWS; null if none was recorded, for example on a local server",
      ),
    machine_usd: z.number().nullable().describe("Cost of that run time, not included in `cost_usd`"),
    machine_prices_as_of: z.string().describe("Date of the machine prices"),
  })
  .meta({ id: "RunCost" })
export type RunCost = z.infer<typeof RunCost>

/** A run as returned by the API. Unknown values are null. */
export const Run = z
  .object({
    run_id: z.string(),
    workspace_id: z.string(),
    agent_id: z.string().describe("Agent that the run belongs to"),
    worktree: z.string().nullable().describe("Worktree that the agent works in; null for other runs"),
    status: RunStatus,
    waiting_before: z.int().nullable().describe("Sessions ahead in the queue, if the run waits for a free runner"),
    model: z.string(),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    cancel_requested: z.boolean(),
    duration_ms: z.number().nullable(),
    workspace_version: z.int().nullable().describe("Version of the session's files when the run completed"),
    verdict: Verdict.nullable().describe("Result of running the project, once the run has ended"),
    warning: z.string().nullable().describe("Why the result of a completed run should be double-checked"),
    cost: RunCost.nullable().describe(
      "Cost recorded so far. Null if none was recorded, or if many other runs have ended since; then use `/api/v1/usage?run=`",
    ),
    error: z.object({ error_type: z.string(), message: z.string(), hint: z.string() }).nullable(),
    links: z.object({ stream: z.string(), events: z.string(), download: z.string() }),
  })
  .meta({ id: "Run" })
export type Run = z.infer<typeof Run>
