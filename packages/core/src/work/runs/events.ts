import * as z from "zod"
import { inWorktree } from "../../files/worktrees/names-schema.ts"
import { runEvent } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { RunKind, runKinds } from "./kinds.ts"
import { WaitsFor } from "./schema.ts"

const generation = z.int().positive()

/** The life of a run, whatever its kind. */
export const runEvents = [
  runEvent("run_created", "A run was accepted and waits for an executor.", {
    kind: RunKind,
    model: z.string(),
    title: z.string().optional().describe("What it was asked, in a few words"),
    ...inWorktree,
    repository: z.string().optional().describe("What an agent works in, where that isn't the session's own workspace"),
    input: large(z.union([runKinds.workflow.input, runKinds.agent.input])),
  }),
  runEvent(
    "run_relaunched",
    "Nobody had claimed the run in time, or its executor was presumed dead: it was started again.",
    {
      attempt: z.int().positive(),
      reason: z.string(),
    },
  ),
  runEvent("run_claimed", "An executor took the run. Whatever an older generation still says no longer counts.", {
    generation,
    executor: z.string(),
  }),
  runEvent("run_handed_over", "The executor ran out of time between two steps; a successor goes on.", {
    generation,
  }),
  runEvent("run_parked", "The run waits and holds nothing.", {
    generation,
    reason: z.string(),
    waits_for: WaitsFor.optional().describe("Without it, somebody has to resume the run"),
  }),
  runEvent("run_resumed", "A parked run may be claimed again.", {}),
  runEvent("run_cancel_requested", "Someone asked the run to stop; whatever ends afterwards ends as cancelled.", {
    reason: z.string(),
  }),
  runEvent("run_completed", "The run ended well.", {
    duration_ms: z.number(),
    workspace_version: z.int().nonnegative(),
    warning: z.string().optional().describe("Why somebody should look at what it did"),
  }),
  runEvent("run_failed", "The run ended with an error.", {
    duration_ms: z.number(),
    error_type: z.string(),
    message: z.string(),
    hint: z.string(),
    exception_chain: z.array(z.string()).optional().describe("Only where verbose errors are switched on"),
  }),
  runEvent("run_cancelled", "The run was stopped on request.", {
    duration_ms: z.number(),
    reason: z.string(),
  }),
] as const
