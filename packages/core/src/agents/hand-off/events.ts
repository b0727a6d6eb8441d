import * as z from "zod"
import { runEvent } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { CliId, ProblemKind } from "../clis/schema.ts"

/** A task that goes on with another account, or with another vendor's agent. */
export const handOffEvents = [
  runEvent("provider_switched", "The run goes on with another account, in the same worktree.", {
    from_provider: CliId,
    to_provider: CliId,
    from_account: z.string().nullable(),
    to_account: z.string().nullable(),
    from_model: z.string().nullable(),
    to_model: z.string().nullable(),
    to_reasoning: z.string().nullable(),
    reason: z.string(),
    problem: ProblemKind,
    resets_at: z.iso.datetime().nullable().describe("When the limit of the account before is said to end"),
  }),
  runEvent("context_condensed", "What was done so far, for whoever goes on. The files are the truth.", {
    replaces_seq_range: z.tuple([z.int(), z.int()]).describe("The events that it stands for"),
    policy: z.enum(["provider_handoff"]),
    summary_text: large(z.string()),
    original_task: large(z.string()),
    files_changed: z.array(z.string()),
    files_created: z.array(z.string()),
    key_commands: z.array(z.string()),
    remaining_work: large(z.string()),
    provider_session_id: z.string().nullable(),
  }),
] as const
