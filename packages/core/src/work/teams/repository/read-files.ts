import { WorktreeSnapshot } from "../../../files/worktrees/snapshot-schema.ts"
import { worktreeOf } from "../../../files/worktrees/state.ts"
import { commandOnce, sendCommand } from "../../chat/files/repository-files.ts"
import { orThrow, teamOf } from "../refusals.ts"
import type { MemberRun } from "../tools/member.ts"

/**
 * Reads the repository's files for the team's models, at the team's start and again after the team's results are
 * merged. Also creates the worktree for committing results. Does nothing if the session has no repository.
 */
export async function readRepository({ deps, context }: MemberRun): Promise<void> {
  const { sid, signal } = context
  const state = await context.catchUp()
  const { base, isInRepository } = orThrow(teamOf(state))
  if (!isInRepository || (base && !base.isStale)) return
  const worktree = base?.worktree ?? worktreeNameOf(context.runId)
  const isThere = worktreeOf(state, worktree).exists
  // After a merge, the worktree is behind its base branch, so it must be updated.
  const command = isThere ? ({ command: "update" } as const) : ({ command: "create" } as const)
  const commandId = `${context.runId}-${command.command}-${base?.seq ?? 0}`
  if (!isThere || base) await commandOnce(deps, context, { commandId, command, worktree })
  const query = { question: "snapshot" as const, since: base?.manifest ?? null }
  const request = { sid, commandId: deps.newId("cmd"), command: query, worktree }
  const answer = await context.awaitExternal(() => sendCommand(deps, request, { signal }))
  const { manifest, files, branch, commit } = WorktreeSnapshot.parse(answer)
  await context.decide(() => [{ type: "team_files_read", worktree, manifest, files, branch, commit }])
}

/** Returns the name of the worktree for the models' results, unique among the session's teams. */
function worktreeNameOf(runId: string): string {
  return `team-${runId.slice(-6).toLowerCase()}`
}
