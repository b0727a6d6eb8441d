import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { BakeOffRow, Entrant } from "./schema.ts"

const bake_off_id = z.string()

/** Events of bake-offs. The entrants' runs have their own events. */
export const bakeOffEvents = [
  event("bake_off_started", "Several agents received the same task, each in its own worktree.", {
    bake_off_id,
    title: z.string(),
    verify: z.boolean(),
    entrants: z.array(Entrant),
  }),
  event("bake_off_pinned", "All agents' worktrees start from this commit.", {
    bake_off_id,
    base_commit: z.string(),
  }),
  event("bake_off_chosen", "A person chose an agent whose work to keep, or none.", {
    bake_off_id,
    adopt: z.string().nullable().describe("Id of the agent"),
  }),
  event("bake_off_reopened", "The chosen work couldn't be merged, so the choice is open again.", {
    bake_off_id,
    reason: z.string(),
  }),
  event("bake_off_settled", "The chosen work was merged, and the other worktrees were deleted.", {
    bake_off_id,
    adopted: z.string().nullable(),
    rows: z.array(BakeOffRow),
  }),
] as const
