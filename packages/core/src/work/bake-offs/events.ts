import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { BakeOffRow, Entrant } from "./schema.ts"

const bake_off_id = z.string()

/** The events of bake-offs. The work of the entrants is told by their runs. */
export const bakeOffEvents = [
  event("bake_off_started", "Several agents were given the same task, each in a worktree of its own.", {
    bake_off_id,
    title: z.string(),
    verify: z.boolean(),
    entrants: z.array(Entrant),
  }),
  event("bake_off_pinned", "The commit is known at which the worktrees of all entrants begin.", {
    bake_off_id,
    base_commit: z.string(),
  }),
  event("bake_off_chosen", "A person chose the entrant whose work is to be merged, or none.", {
    bake_off_id,
    adopt: z.string().nullable().describe("Its agent's id"),
  }),
  event("bake_off_reopened", "The chosen work could not be merged, so the choice is open again.", {
    bake_off_id,
    reason: z.string(),
  }),
  event("bake_off_settled", "The chosen work was merged, and the worktrees of the others are gone.", {
    bake_off_id,
    adopted: z.string().nullable(),
    rows: z.array(BakeOffRow),
  }),
] as const
