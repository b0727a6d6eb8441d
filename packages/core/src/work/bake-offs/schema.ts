import * as z from "zod"
import { AgentName } from "../../agents/conversations/agent-schema.ts"
import { AgentProgram } from "../../agents/conversations/schema.ts"
import { agentFields, NewTask } from "../../agents/tasks/schema.ts"
import { MergeRequest, MergeResult } from "../../files/worktrees/merge-schema.ts"
import { WorktreeName } from "../../files/worktrees/names-schema.ts"
import { Verdict } from "../gate/schema.ts"
import { RunStatus } from "../runs/schema.ts"

const MAX_ENTRANTS = 8

const NewEntrant = z.object({
  coding_agent: agentFields.coding_agent,
  coding_model: agentFields.coding_model,
  coding_reasoning: agentFields.coding_reasoning,
  name: AgentName.optional().describe(
    "Name of the agent and its worktree; by default derived from the agent and model",
  ),
})

/** A task given to several agents or models in order to compare their work. */
export const NewBakeOff = z
  .object({
    task_description: NewTask.shape.task_description,
    entrants: z.array(NewEntrant).min(2).max(MAX_ENTRANTS),
    base_branch: agentFields.base_branch,
    mode: agentFields.mode,
    verify: z.boolean().default(true).describe("Verify the work of all agents with the same checks"),
    allow_test_changes: agentFields.allow_test_changes,
    verification_attempts: agentFields.verification_attempts,
    verification_agent: agentFields.verification_agent,
    verification_model: agentFields.verification_model,
    verification_reasoning: agentFields.verification_reasoning,
    consent: agentFields.consent,
  })
  .meta({ id: "NewBakeOff" })
export type NewBakeOff = z.infer<typeof NewBakeOff>

/** An agent that works on a bake-off's task in its own worktree. */
export const Entrant = z.object({
  agent_id: z.string(),
  name: z.string(),
  worktree: WorktreeName,
  ...AgentProgram.shape,
  run_id: z.string(),
})
export type Entrant = z.infer<typeof Entrant>

export const BakeOffRow = Entrant.extend({
  status: z.enum([...RunStatus.options, "not_started"]),
  passed: z.boolean().nullable().describe("True if the work passed its checks; null until the agent's run has ended"),
  verdict: Verdict.shape.status
    .nullable()
    .optional()
    .describe("Result of the last checks; `not_run` if there were none or they couldn't run"),
  reason: z.string().nullable().describe("Why the work didn't pass, or what to double-check"),
  attempts: z.int().nonnegative().describe("Number of attempts that were judged"),
  duration_ms: z.number().nullable(),
  cost_usd: z.number().nullable().describe("Cost including reviews; null if unknown"),
  cost_is_complete: z.boolean(),
  tokens: z.int().nonnegative(),
  diff: z
    .object({ files_changed: z.int(), insertions: z.int(), deletions: z.int() })
    .nullable()
    .describe("Size of the change; null until reported by a runner"),
}).meta({ id: "BakeOffRow" })
export type BakeOffRow = z.infer<typeof BakeOffRow>

/** Status of a bake-off. `ready` means that all entrants have ended, so a client can adopt an entrant's work. */
const BakeOffStatus = z.enum(["running", "ready", "settled"])

export const BakeOff = z
  .object({
    bake_off_id: z.string(),
    title: z.string(),
    created_at: z.iso.datetime(),
    verify: z.boolean(),
    base_commit: z.string().nullable().describe("Base commit of all agents; null until the first agent starts"),
    status: BakeOffStatus,
    adopted: z.string().nullable().describe("Id of the agent whose work was merged"),
    rows: z.array(BakeOffRow).describe("Once the comparison is settled, the results at that time"),
  })
  .meta({ id: "BakeOff" })
export type BakeOff = z.infer<typeof BakeOff>

export const BakeOffs = z
  .object({ bake_offs: z.array(BakeOff).describe("The last twenty, newest first") })
  .meta({ id: "BakeOffs" })

/** Choice of an entrant, which ends a bake-off. */
export const SettleBakeOff = z
  .object({
    adopt: z.string().nullable().describe("Id or name of the agent whose work to merge; null for none"),
    target_branch: MergeRequest.shape.target_branch,
    strategy: MergeRequest.shape.strategy,
    run_hooks: MergeRequest.shape.run_hooks,
  })
  .meta({ id: "SettleBakeOff" })
export type SettleBakeOff = z.infer<typeof SettleBakeOff>

export const SettledBakeOff = z
  .object({
    bake_off: BakeOff,
    merge: MergeResult.nullable().describe(
      "Null if there was nothing to merge. Conflicts leave the comparison unsettled",
    ),
  })
  .meta({ id: "SettledBakeOff" })
export type SettledBakeOff = z.infer<typeof SettledBakeOff>
