import type { MergeRequest } from "@switchyard/core/files/worktrees/merge-schema"

export const strategies = [
  { value: "squash", text: "Squash into one commit" },
  { value: "merge", text: "Merge commit, keep history" },
] as const
export type Strategy = (typeof strategies)[number]["value"]

export interface MergeForm {
  /** Empty until a branch is chosen; the server then takes the worktree's target. */
  target: string
  strategy: Strategy
  message: string
  deleteWorktree: boolean
  runHooks: boolean
  /** Whether files may have conflict markers; offered once a merge was refused for them. */
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

export function mergeRequest({
  target,
  strategy,
  message,
  deleteWorktree,
  runHooks,
  allowMarkers,
}: MergeForm): MergeRequest {
  return {
    target_branch: target || undefined,
    commit_message: message,
    strategy,
    delete_worktree: deleteWorktree,
    run_hooks: runHooks,
    ...(allowMarkers && { allow_markers: true }),
  }
}

export function strategyOf(value: string): Strategy {
  return strategies.find((one) => one.value === value)?.value ?? "squash"
}

/** The branches to choose from; always includes the chosen one. */
export function branchOptions(branches: readonly string[], chosen: string): { value: string; text: string }[] {
  const all = chosen === "" || branches.includes(chosen) ? branches : [chosen, ...branches]
  const first = chosen === "" ? [{ value: "", text: "Choose a branch" }] : []
  return [...first, ...all.map((name) => ({ value: name, text: name }))]
}
