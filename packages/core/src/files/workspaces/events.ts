import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { inWorktree } from "../worktrees/names-schema.ts"
import { CommittedChange, Restoration } from "./schema.ts"

export const workspaceEvents = [
  event("workspace_committed", "A new version of the files. This event is the commit.", {
    version: z.int().positive(),
    manifest: z.string().describe("sha256 of the manifest"),
    changes: large(z.array(CommittedChange)),
    file_count: z.int().nonnegative().optional(),
    restores: Restoration.optional().describe("Set if an earlier version was restored"),
    step: z.string().optional().describe("Step of a run that is finished by this commit"),
  }),
  event("workspace_save_progressed", "Many files from a worktree are being saved to the session's files in batches.", {
    ...inWorktree,
    saved: z.int().nonnegative(),
    total: z.int().nonnegative().describe("Estimate; the save is complete when `saved` reaches it"),
  }),
] as const
