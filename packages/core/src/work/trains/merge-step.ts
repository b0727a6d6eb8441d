import { MergeResult } from "../../files/worktrees/merge-schema.ts"
import type { TrainStep } from "./schema.ts"

/** A worktree and its position in a train. */
export interface TrainStop {
  index: number
  worktree: string
}

/** Outcome of a train's merge command: either its answer or an error. */
export interface MergeEnd {
  answer: unknown
  error: { message: string } | null
}

/**
 * Returns the ID of a train's merge command. It contains the number of the attempt, because a failed command is
 * retried.
 */
export function mergeCommandId(runId: string, index: number, attempt: number): string {
  return `${runId}-${index}-${attempt}`
}

/** Returns the position in the train of a merge command. Undefined if the command doesn't belong to this train. */
export function indexOfMerge(runId: string, commandId: string): number | undefined {
  if (!commandId.startsWith(`${runId}-`)) return undefined
  const match = /^(\d{1,9})-\d{1,9}$/.exec(commandId.slice(runId.length + 1))
  return match?.[1] === undefined ? undefined : Number(match[1])
}

/** Returns the step of a train for a merge, before any check. */
export function stepOfMerge({ index, worktree }: TrainStop, { answer, error }: MergeEnd): TrainStep {
  if (answer === null) return refusedStep({ index, worktree }, error?.message ?? "The merge failed.")
  const { status, message, target_branch, commit, conflicts } = MergeResult.parse(answer)
  const files = (conflicts ?? []).filter(({ resolved }) => !resolved).map(({ file_path }) => file_path)
  const isStep = status === "merged" || status === "nothing_to_merge" || status === "conflicts"
  const about = { index, worktree, message, target_branch, commit, conflicts: files, verdict: null }
  return { ...about, status: isStep ? status : "refused" }
}

/** Returns the step of a train for a merge that was refused. */
export function refusedStep({ index, worktree }: TrainStop, message: string): TrainStep {
  const nothing = { target_branch: null, commit: null, conflicts: [], verdict: null }
  return { index, worktree, status: "refused", message, ...nothing }
}
