import { WorktreeSnapshot } from "../../../files/worktrees/snapshot-schema.ts"
import { worktreeOf } from "../../../files/worktrees/state.ts"
import { orThrow, teamOf } from "../refusals.ts"
import { type Commanding, commandOnce, queryWorktree } from "./worktree-commands.ts"

/**
 * Has the files of the repository read on which the team's models build: once as the team begins, and anew where its results
 * were merged. Makes the worktree to which those are committed. Does nothing in a session without a repository.
 */
export async function readRepository(member: Commanding): Promise<void> {
  const { context } = member
  const state = await context.catchUp()
  const { base, isInRepository } = orThrow(teamOf(state))
  if (!isInRepository || (base && !base.isStale)) return
  const worktree = base?.worktree ?? worktreeNameOf(context.runId)
  const isThere = worktreeOf(state, worktree).exists
  // After a merge the branch that it began from has more than it has.
  const command = isThere ? ({ command: "update" } as const) : ({ command: "create" } as const)
  const commandId = `${context.runId}-${command.command}-${base?.seq ?? 0}`
  if (!isThere || base) await commandOnce(member, { commandId, command, worktree })
  const query = { question: "snapshot" as const, since: base?.manifest ?? null }
  const { manifest, files, branch, commit } = WorktreeSnapshot.parse(await queryWorktree(member, worktree, query))
  await context.decide(() => [{ type: "team_files_read", worktree, manifest, files, branch, commit }])
}

/** The name of the worktree in which a team's models have their results: no other team of the session has it. */
function worktreeNameOf(runId: string): string {
  return `team-${runId.slice(-6).toLowerCase()}`
}
