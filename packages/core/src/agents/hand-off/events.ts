import * as z from "zod"
import { runEvent } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { CliId } from "../clis/clis.ts"
import { ProblemKind } from "../clis/schema.ts"

/** Events about a task that continues with another account, or with another vendor's agent. */
export const handOffEvents = [
  runEvent("provider_switched", "Another account or program continues the agent's work in the same worktree.", {
    from_provider: CliId,
    to_provider: CliId,
    from_account: z.string().nullable(),
    to_account: z.string().nullable(),
    from_model: z.string().nullable(),
    to_model: z.string().nullable(),
    to_reasoning: z.string().nullable(),
    reason: z.string(),
    problem: ProblemKind.nullable().describe("Null if no problem caused the switch, such as a person's choice"),
    resets_at: z.iso.datetime().nullable().describe("End of the previous account's limit, as reported"),
  }),
  runEvent("context_condensed", "A summary of the work so far for the next agent. The files are authoritative.", {
    replaces_seq_range: z.tuple([z.int(), z.int()]).describe("Range of events that it summarises"),
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
