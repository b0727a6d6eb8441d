import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { namedWorktree } from "@switchyard/core/files/worktrees/names-schema"
import { listSkipped } from "@switchyard/core/files/worktrees/skipped-files"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { listed } from "../project/listed.ts"
import type { Project } from "../project/project.ts"
import type { ProjectDeps } from "../project/project-deps.ts"

/**
 * Commits the work to the session's files. If there is too much to save now, reports how many files will be saved
 * later. Also reports files that can't be saved.
 */
export async function saveFiles(
  { worktree }: ProjectDeps,
  context: RunContext<AgentInput>,
  unsaved: Awaited<ReturnType<Project["save"]>>,
): Promise<void> {
  if ("later" in unsaved) {
    return context.write([
      { type: "workspace_save_progressed", ...namedWorktree(worktree), saved: 0, total: unsaved.later },
    ])
  }
  const { changes, leftOut, refused, conflicts, events } = unsaved
  if (changes.length > 0) await context.commit(changes, `agent/${context.runId}/${context.state().head}`)
  // Links and submodules are in the worktree's history. All other files that weren't saved exist only on the runner's
  // disk.
  const lost = leftOut.filter(({ reason, path }) => {
    return reason !== "link" && reason !== "submodule" && !refused.some((each) => each.path === path)
  })
  const text = `Not saved in the session's files: ${listSkipped(lost)}.`
  if (lost.length > 0) await context.write([{ type: "agent_notice", text }])
  if (conflicts.length > 0) await context.write([{ type: "agent_notice", text: conflictText(conflicts) }])
  await context.write(events)
}

function conflictText(conflicts: string[]): string {
  return (
    `These files were also changed in the session while the agent worked: ${listed(conflicts)}. The session keeps those changes; ` +
    "the agent's version is in the history of its branch."
  )
}
