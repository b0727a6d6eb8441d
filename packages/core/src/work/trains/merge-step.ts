import { MergeResult } from "../../files/worktrees/merge-schema.ts"
import type { TrainStep } from "./schema.ts"

/** The position of a worktree in a train. */
export interface TrainStop {
  index: number
  worktree: string
}

/** End of a train's command: its answer, or an error. */
export interface MergeEnd {
  answer: unknown
  error: { message: string } | null
}

/** Returns the id of a train's merge command for a position. A failed attempt is followed by another one. */
export function mergeCommandId(runId: string, index: number, attempt: number): string {
  return `${runId}-${index}-${attempt}`
}

/** Returns the position in the train that a command belongs to. Undefined for other commands. */
export function indexOfMerge(runId: string, commandId: string): number | undefined {
  if (!commandId.startsWith(`${runId}-`)) return undefined
  const match = /^(\d{1,9})-\d{1,9}$/.exec(commandId.slice(runId.length + 1))
  return match?.[1] === undefined ? undefined : Number(match[1])
}

/** Returns the train step of a merge, before any check. */
export function stepOfMerge({ index, worktree }: TrainStop, { answer, error }: MergeEnd): TrainStep {
  if (answer === null) return refusedStep({ index, worktree }, error?.message ?? "It failed.")
  const { status, message, target_branch, commit, conflicts } = MergeResult.parse(answer)
  const files = (conflicts ?? []).filter(({ resolved }) => !resolved).map(({ file_path }) => file_path)
  const isStep = status === "merged" || status === "nothing_to_merge" || status === "conflicts"
  const about = { index, worktree, message, target_branch, commit, conflicts: files, verdict: null }
  return { ...about, status: isStep ? status : "refused" }
}

/** Returns the train step of a refused merge. */
export function refusedStep({ index, worktree }: TrainStop, message: string): TrainStep {
  const nothing = { target_branch: null, commit: null, conflicts: [], verdict: null }
  return { index, worktree, status: "refused", message, ...nothing }
}
