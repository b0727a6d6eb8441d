import type { WorktreeAnswer, WorktreeChange } from "@switchyard/core/files/worktrees/command-schema"
import type { MergeResult } from "@switchyard/core/files/worktrees/merge-schema"
import type { Deleted, Reset } from "@switchyard/core/files/worktrees/schema"
import type { CommandOptions } from "@switchyard/core/files/worktrees/worktrees"
import type { LockedWorktree } from "./locked-worktree.ts"
import { isUndone, undoMerge } from "./merge/undo-merge.ts"
import { pushed } from "./remote/push.ts"
import type { Reach } from "./remote/remotes.ts"
import { pushOf } from "./worktrees/push-work.ts"
import { baseFor, removeWork } from "./worktrees/worktree-lifecycle.ts"
import { statusOf } from "./worktrees/worktree-status.ts"

export const RESET: Reset = { reset: true, message: "The worktree is back at its starting commit." }
export const DELETED: Deleted = { deleted: true, message: "The worktree was deleted." }
const ABORTED: MergeResult = {
  success: true,
  status: "aborted",
  message: "The merge was aborted.",
  target_branch: null,
  commit: null,
  checkout: null,
  worktree_deleted: false,
  conflicts: null,
}

/** Checks whether a command without a recorded result was in fact executed. Returns the command's result if so. */
export async function evidenceOf(
  { current: worktree, alone }: LockedWorktree,
  command: WorktreeChange,
  { reach, ...options }: CommandOptions & { reach: Reach },
): Promise<WorktreeAnswer | undefined> {
  const status = await statusOf(worktree, options)
  switch (command.command) {
    case "create": {
      if (!status.exists || !command.reset) return status.exists ? { ...status, created: false } : undefined
      const isNew = !status.has_changes && status.base_commit === (await baseFor(worktree, command, options))
      return isNew ? { ...status, created: true } : undefined
    }
    case "reset":
      return status.exists && !status.has_changes ? RESET : undefined
    case "delete":
      if (status.exists) return undefined
      await alone((found) => removeWork(found, options), options)
      return DELETED
    case "abort":
      return status.merge ? undefined : ABORTED
    case "undo":
      // If only some steps of the undo are done, undoing again completes the others.
      if (!(await isUndone(worktree, command, options))) return undefined
      return alone((found) => undoMerge(found, command, options), options)
    case "push":
      return pushed(worktree.git, worktree.repository, await pushOf(worktree, { request: command, reach }), options)
  }
  return undefined
}
