import * as z from "zod"
import { AgentProgram } from "../../agents/conversations/schema.ts"
import { inWorktree } from "../../files/worktrees/names-schema.ts"
import { runEvent } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { Verdict } from "../gate/schema.ts"
import { RunKind, runKinds } from "./kinds.ts"
import { WaitsFor } from "./schema.ts"

const generation = z.int().positive()

/** Lifecycle events of runs of every kind. */
export const runEvents = [
  runEvent("run_created", "The run was accepted and is waiting for an executor.", {
    kind: RunKind,
    model: z.string(),
    title: z.string().optional().describe("A short title taken from the request"),
    ...inWorktree,
    repository: z
      .string()
      .optional()
      .describe("Repository that the agent works in; absent for the session's own workspace"),
    account: z.string().optional().describe("Account that supplies the model's key"),
    program: AgentProgram.optional().describe("The agent's program and its account"),
    verify: z.boolean().optional().describe("True if the run completes only after its work is verified"),
    input: large(
      z.union([
        runKinds.workflow.input,
        runKinds.agent.input,
        runKinds.check.input,
        runKinds.chat.input,
        runKinds.train.input,
        runKinds.team.input,
        runKinds.work_node.input,
        runKinds.shell_command.input,
        runKinds.page.input,
        runKinds.rewind.input,
        runKinds.fork.input,
        runKinds.chat_files.input,
        runKinds.login.input,
      ]),
    ),
  }),
  runEvent(
    "run_relaunched",
    "The run wasn't claimed in time, or its executor is presumed dead; it is launched again.",
    {
      attempt: z.int().positive(),
      reason: z.string(),
    },
  ),
  runEvent("run_claimed", "An executor claimed the run. Events from older generations are refused from now on.", {
    generation,
    executor: z.string(),
  }),
  runEvent("run_handed_over", "The executor ran out of time between two steps, and another one continues.", {
    generation,
  }),
  runEvent("run_parked", "The run is waiting; no process is working on it.", {
    generation,
    reason: z.string(),
    waits_for: WaitsFor.optional().describe("Absent if only a request resumes the run"),
  }),
  runEvent("run_resumed", "The parked run can be claimed again.", {}),
  runEvent("run_cancel_requested", "The run was asked to stop, and will end as cancelled.", {
    reason: z.string(),
  }),
  runEvent("run_completed", "The run completed.", {
    duration_ms: z.number(),
    workspace_version: z.int().nonnegative(),
    warning: z.string().optional().describe("Why the result should be double-checked"),
    verdict: Verdict.optional().describe("Result of running the project"),
  }),
  runEvent("run_failed", "The run failed.", {
    duration_ms: z.number(),
    error_type: z.string(),
    message: z.string(),
    hint: z.string(),
    verdict: Verdict.optional().describe("Result of running the project"),
    exception_chain: z.array(z.string()).optional().describe("Only if verbose errors are enabled"),
  }),
  runEvent("run_cancelled", "The run was cancelled.", {
    duration_ms: z.number(),
    reason: z.string(),
  }),
] as const
