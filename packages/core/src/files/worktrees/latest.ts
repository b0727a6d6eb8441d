import * as z from "zod"
import { AppError } from "../../errors.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import { readField } from "../../log/payload.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { Conflicts } from "./conflict-schema.ts"
import { FullDiff } from "./diff-schema.ts"
import { Branches, type WorktreeStatus } from "./schema.ts"
import { worktreeOf } from "./state.ts"

/** A runner's latest report on a session's worktree. */
export interface WorktreeReport {
  status: WorktreeStatus
  branches: Branches | null
  diff: FullDiff | null
  conflicts: Conflicts | null
}

/** Reads the latest report. Returns undefined if there is no report. */
export async function readWorktree(
  { log, blobs }: { log: Log; blobs: Blobs },
  { sid, state }: Pick<SessionHandle, "sid" | "state">,
  { worktree, ...options }: { worktree?: string; signal: AbortSignal },
): Promise<WorktreeReport | undefined> {
  const { reportedSeq, saving } = worktreeOf(state, worktree)
  if (reportedSeq === null) return undefined
  for await (const event of log.read(logName(sid), reportedSeq - 1, options)) {
    if (event.type !== "worktree_changed") break
    const [branches, diff, conflicts] = await Promise.all([
      readField(blobs, event.branches, Branches, options),
      readField(blobs, event.diff, z.nullable(FullDiff), options),
      readField(blobs, event.conflicts, z.nullable(Conflicts), options),
    ])
    const status = { ...event.status, as_of: event.ts, ...(saving && { saving }) }
    return { status, branches, diff, conflicts }
  }
  throw new AppError("internal_error", "The worktree's latest report is missing.")
}

export const noWorktree: WorktreeStatus = {
  exists: false,
  path: null,
  branch: null,
  base_commit: null,
  has_changes: false,
  uncommitted: false,
  target_branch: null,
  behind: null,
  ahead: null,
  merge: null,
}
