import type { MergeRequest } from "@switchyard/core/files/worktrees/merge-schema"
import type { Option } from "../../../ui/field.tsx"

export const strategies = { squash: "Squash into one commit", merge: "Create a merge commit" }

export interface MergeForm {
  /** Empty until a branch is chosen. The server then uses the worktree's target. */
  target: string
  strategy: keyof typeof strategies
  message: string
  deleteWorktree: boolean
  runHooks: boolean
  /** Whether files may contain conflict markers. Offered once a merge was refused because of them. */
  allowMarkers: boolean
}

export function blankForm(target: string | null): MergeForm {
  return {
    target: target ?? "",
    strategy: "squash",
    message: "",
    deleteWorktree: false,
    runHooks: false,
    allowMarkers: false,
  }
}

export function mergeRequest(form: MergeForm): MergeRequest {
  return {
    target_branch: form.target || undefined,
    commit_message: form.message,
    strategy: form.strategy,
    delete_worktree: form.deleteWorktree,
    run_hooks: form.runHooks,
    ...(form.allowMarkers && { allow_markers: true }),
  }
}

/** Returns the branches to choose from, always including the chosen one. */
export function branchOptions(branches: readonly string[], chosen: string): Option[] {
  if (chosen === "") return [["", "Choose a branch"], ...branches]
  return branches.includes(chosen) ? [...branches] : [chosen, ...branches]
}
