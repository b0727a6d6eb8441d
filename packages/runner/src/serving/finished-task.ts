import { Summary } from "@switchyard/core/agents/conversations/schema"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { runOf } from "@switchyard/core/work/runs/state"

/**
 * Returns the agent's last summary if the agent has finished its work: an earlier executor of the run recorded and
 * saved that work, but was lost while verifying it. Another turn would cost as much again, and might repeat steps that
 * must happen only once. Returns undefined if the agent has work left to do.
 */
export async function readFinishedTask({
  runId,
  state,
  history,
}: Pick<RunContext<unknown>, "runId" | "state" | "history">): Promise<Summary | undefined> {
  const run = runOf(state(), runId)
  if (!run || run.milestoneSeq === null) return undefined
  const { savedSeq } = worktreeOf(state(), run.worktree)
  if (savedSeq === null || savedSeq < run.milestoneSeq) return undefined
  let summary: Summary | undefined
  for await (const event of history()) {
    if (event.type === "milestone") summary = readSummary(event)
    const isMore = event.type === "agent_turn_started" || (event.type === "verification_attempt" && !event.passed)
    if (isMore) summary = undefined
  }
  return summary
}

function readSummary({ summary, details }: { summary: string; details: unknown }): Summary | undefined {
  return Summary.safeParse({ ...Object(details), change_summary: summary }).data
}
