import * as z from "zod"
import { Verdict } from "../gate/schema.ts"

export const RunStatus = z.enum(["queued", "running", "parked", "completed", "failed", "cancelled"])
export type RunStatus = z.infer<typeof RunStatus>

const ENDS: ReadonlySet<string> = new Set(["run_completed", "run_failed", "run_cancelled"])

/** True for the last event of a run. */
export function endsRun({ type }: { type: string }): boolean {
  return ENDS.has(type)
}

/** Everything that wakes a parked run; whichever comes first does. */
export const WaitsFor = z.object({
  question: z.string().optional().describe("The answer to this question"),
  run: z.string().optional().describe("The end of this run"),
  message: z.boolean().optional().describe("A message to its agent"),
  any_run: z.boolean().optional().describe("The end of any run of the session"),
  team: z.boolean().optional().describe("Its team to go on, which was paused or stopped"),
  events: z.array(z.string()).optional().describe("An event of one of these types"),
  budget: z.boolean().optional().describe("Room in its owner's budget, which is raised"),
  until: z.iso.datetime().optional(),
  login: z.boolean().optional().describe("Its account's log-in, which another task uses: it asks again at `until`"),
})
export type WaitsFor = z.infer<typeof WaitsFor>

/** An estimate of what a run cost as far as it was counted. */
export const RunCost = z
  .object({
    cost_usd: z
      .number()
      .nullable()
      .describe(
        "The model's part: by list prices, with the fees of searches, or what the agent's program says; null where it isn't known",
      ),
    cost_is_complete: z.boolean().describe("False where a part of it has no known price, or was not reported"),
    prices_as_of: z.string().describe("The day of the list prices"),
    machine_seconds: z
      .number()
      .nullable()
      .describe(
        "Time of containers and functions of a stage in AWS; null where none was counted, as on a machine of one's own",
      ),
    machine_usd: z.number().nullable().describe("The price of that time, which is no part of `cost_usd`"),
    machine_prices_as_of: z.string().describe("The day of the prices of machines"),
  })
  .meta({ id: "RunCost" })
export type RunCost = z.infer<typeof RunCost>

/** A run as the API shows it. What isn't known yet is null. */
export const Run = z
  .object({
    run_id: z.string(),
    workspace_id: z.string(),
    agent_id: z.string().describe("The agent of the session that the run belongs to"),
    worktree: z.string().nullable().describe("The session's worktree that the agent works in; null for other runs"),
    status: RunStatus,
    waiting_before: z
      .int()
      .nullable()
      .describe("Of a queued run that waits for a runner because all places are taken: the sessions before its own"),
    model: z.string(),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    cancel_requested: z.boolean(),
    duration_ms: z.number().nullable(),
    workspace_version: z.int().nullable().describe("The version of the files that the run left when it completed"),
    verdict: Verdict.nullable().describe("What running the project showed, once the run has ended"),
    warning: z.string().nullable().describe("Why somebody should look at what a completed run did"),
    cost: RunCost.nullable().describe(
      "As far as it was counted. Null where nothing was, and of a run that ended long before others: `/api/v1/usage?run=` has it",
    ),
    error: z.object({ error_type: z.string(), message: z.string(), hint: z.string() }).nullable(),
    links: z.object({ stream: z.string(), events: z.string(), download: z.string() }),
  })
  .meta({ id: "Run" })
export type Run = z.infer<typeof Run>
