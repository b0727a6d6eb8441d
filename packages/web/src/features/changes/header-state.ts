import type { DiffSummary } from "@switchyard/core/files/worktrees/diff-schema"
import type { WorktreeStatus } from "@switchyard/core/files/worktrees/schema"
import { formatCount } from "@switchyard/core/text/format"

export interface HeaderState {
  /** Whether each action is available now. */
  can: Record<"push" | "reset" | "delete" | "update" | "merge", boolean>
  /** Number of changed files; null if there are none or it isn't known. */
  files: string | null
  /** Number of the target's commits that the branch lacks; null if none. */
  behind: number | null
}

/**
 * Returns the available actions. A merge with conflicts disables merge and update. An operation that an agent left
 * unfinished also disables push. Viewing an earlier moment disables everything.
 */
export function headerState(
  { merge, behind, has_changes, unresolved }: WorktreeStatus,
  diff: DiffSummary | undefined,
  { readOnly, updating }: { readOnly: boolean; updating: boolean },
): HeaderState {
  const idle = !readOnly && merge === null && !unresolved
  const isBehind = behind !== null && behind > 0
  return {
    can: {
      push: !readOnly && !unresolved,
      reset: !readOnly && has_changes,
      delete: !readOnly,
      update: idle && !updating && isBehind,
      merge: idle && has_changes,
    },
    files: filesText(diff),
    behind: isBehind ? behind : null,
  }
}

function filesText(diff: DiffSummary | undefined): string | null {
  if (!diff || diff.files.length === 0) return null
  const files = formatCount(diff.files_changed, "file")
  return diff.complete ? files : `at least ${files}`
}
