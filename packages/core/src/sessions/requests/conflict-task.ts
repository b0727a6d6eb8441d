import type { AgentProgram } from "../../agents/conversations/schema.ts"
import { openAgent } from "../../agents/conversations/state.ts"
import { AppError } from "../../errors.ts"
import type { WorktreeReport } from "../../files/worktrees/latest.ts"
import { worktreeOf } from "../../files/worktrees/state.ts"
import type { SessionState } from "../../state.ts"
import { runOf } from "../../work/runs/state.ts"

/** Task for an agent: to resolve merge conflicts. */
export interface ConflictTask {
  agentId: string
  program: AgentProgram
  /** Branch that the work conflicts with. */
  branch: string
  text: string
}

/** Returns a task that resolves a pending merge, for the agent that last worked in the worktree. */
export function conflictTask(
  state: SessionState,
  worktree: string,
  report: Pick<WorktreeReport, "status" | "conflicts"> | undefined,
): ConflictTask {
  const { status, conflicts = null } = report ?? {}
  if (!status?.merge) throw new AppError("worktree_conflict", "No merge is waiting for conflicts to be resolved.")
  const { lastRun } = worktreeOf(state, worktree)
  const agentId = lastRun && runOf(state, lastRun.runId)?.agentId
  const program = agentId ? openAgent(state, agentId)?.program : undefined
  if (!agentId || !program) throw new AppError("agent_not_found", "No agent has worked in this worktree.")
  const branch = status.merge.target_branch
  const files = (conflicts?.files ?? []).map(({ file_path }) => `- ${file_path}`)
  const text = [
    `Resolve the conflicts with ${branch}.`,
    `A merge of the branch ${branch} into your work has been started in your working folder, and is not committed yet. These files are in conflict:`,
    files.join("\n"),
    "Files of text have conflict markers (<<<<<<<, =======, >>>>>>>). Read both sides and their history, keep what each was meant to do, and remove all markers. Where one side deleted a file, or a file is binary, decide which is right and run `git add` or `git rm` on it. Then run the project's tests. Don't abort the merge, and change nothing else.",
  ]
  return { agentId, program, branch, text: text.filter(Boolean).join("\n\n") }
}
