import { MergeResult } from "../../files/worktrees/merge-schema.ts"
import type { TrainStep } from "./schema.ts"

/** A worktree's place in a train. */
export interface TrainStop {
  index: number
  worktree: string
}

/** The end of the command that a train asked for: its answer, or why there is none. */
export interface MergeEnd {
  answer: unknown
  error: { message: string } | null
}

/** The id of a train's command to merge the worktree at a place. An attempt that came to nothing is followed by another. */
export function mergeCommandId(runId: string, index: number, attempt: number): string {
  return `${runId}-${index}-${attempt}`
}

/** The place in the train for which a command was asked. Undefined for a command that isn't this train's. */
export function indexOfMerge(runId: string, commandId: string): number | undefined {
  if (!commandId.startsWith(`${runId}-`)) return undefined
  const match = /^(\d{1,9})-\d{1,9}$/.exec(commandId.slice(runId.length + 1))
  return match?.[1] === undefined ? undefined : Number(match[1])
}

/** The step of a train that a merge makes, before anything is checked. */
export function stepOfMerge({ index, worktree }: TrainStop, { answer, error }: MergeEnd): TrainStep {
  if (answer === null) return refusedStep({ index, worktree }, error?.message ?? "It failed.")
  const { status, message, target_branch, commit, conflicts } = MergeResult.parse(answer)
  const files = (conflicts ?? []).filter(({ resolved }) => !resolved).map(({ file_path }) => file_path)
  const isStep = status === "merged" || status === "nothing_to_merge" || status === "conflicts"
  const about = { index, worktree, message, target_branch, commit, conflicts: files, verdict: null }
  return { ...about, status: isStep ? status : "refused" }
}

/** The step of a merge that wasn't made. */
export function refusedStep({ index, worktree }: TrainStop, message: string): TrainStep {
  const nothing = { target_branch: null, commit: null, conflicts: [], verdict: null }
  return { index, worktree, status: "refused", message, ...nothing }
}
