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
  name: AgentName.optional().describe("Of the agent and its worktree; else made of the agent's and the model's"),
})

/** One task for several agents or models, to compare what they make of it. */
export const NewBakeOff = z
  .object({
    task_description: NewTask.shape.task_description,
    entrants: z.array(NewEntrant).min(2).max(MAX_ENTRANTS),
    base_branch: agentFields.base_branch,
    mode: agentFields.mode,
    verify: z.boolean().default(true).describe("Whether the work of all is verified, by the same checks"),
    allow_test_changes: agentFields.allow_test_changes,
    verification_attempts: agentFields.verification_attempts,
    verification_agent: agentFields.verification_agent,
    verification_model: agentFields.verification_model,
    verification_reasoning: agentFields.verification_reasoning,
    consent: agentFields.consent,
  })
  .meta({ id: "NewBakeOff" })
export type NewBakeOff = z.infer<typeof NewBakeOff>

/** An agent of the session that does the task of a bake-off, in a worktree of its own. */
export const Entrant = z.object({
  agent_id: z.string(),
  name: z.string(),
  worktree: WorktreeName,
  ...AgentProgram.shape,
  run_id: z.string(),
})
export type Entrant = z.infer<typeof Entrant>

/** The result of an entrant. */
export const BakeOffRow = Entrant.extend({
  status: z.enum([...RunStatus.options, "not_started"]),
  passed: z.boolean().nullable().describe("Whether its work passed its checks; null while it isn't over"),
  verdict: Verdict.shape.status
    .nullable()
    .optional()
    .describe("What its checks showed at the end; `not_run` where there were none, or they could not be run"),
  reason: z.string().nullable().describe("Why it didn't pass, or what to look at"),
  attempts: z.int().nonnegative().describe("The attempts to pass that were judged"),
  duration_ms: z.number().nullable(),
  cost_usd: z.number().nullable().describe("With its reviews; null where no part of it is known"),
  cost_is_complete: z.boolean(),
  tokens: z.int().nonnegative(),
  diff: z
    .object({ files_changed: z.int(), insertions: z.int(), deletions: z.int() })
    .nullable()
    .describe("The size of its work; null before a runner has reported it"),
}).meta({ id: "BakeOffRow" })
export type BakeOffRow = z.infer<typeof BakeOffRow>

/** `ready`: all entrants are done, and one can be adopted. */
const BakeOffStatus = z.enum(["running", "ready", "settled"])

export const BakeOff = z
  .object({
    bake_off_id: z.string(),
    title: z.string(),
    created_at: z.iso.datetime(),
    verify: z.boolean(),
    base_commit: z.string().nullable().describe("The commit at which all entrants begin; null before the first has"),
    status: BakeOffStatus,
    adopted: z.string().nullable().describe("The entrant whose work was merged, by its agent's id"),
    rows: z.array(BakeOffRow).describe("Once it is settled: as they were then"),
  })
  .meta({ id: "BakeOff" })
export type BakeOff = z.infer<typeof BakeOff>

export const BakeOffs = z
  .object({ bake_offs: z.array(BakeOff).describe("The last twenty, newest first") })
  .meta({ id: "BakeOffs" })

/** The choice that ends a bake-off. */
export const SettleBakeOff = z
  .object({
    adopt: z.string().nullable().describe("The entrant whose work is merged, by its id or name; null for none"),
    target_branch: MergeRequest.shape.target_branch,
    strategy: MergeRequest.shape.strategy,
    run_hooks: MergeRequest.shape.run_hooks,
  })
  .meta({ id: "SettleBakeOff" })
export type SettleBakeOff = z.infer<typeof SettleBakeOff>

export const SettledBakeOff = z
  .object({
    bake_off: BakeOff,
    merge: MergeResult.nullable().describe("Null where nothing was to be merged. After conflicts it isn't settled"),
  })
  .meta({ id: "SettledBakeOff" })
export type SettledBakeOff = z.infer<typeof SettledBakeOff>
