import { isAppError } from "../../../errors.ts"
import type { WorktreeCommand, WorktreeQuery } from "../../../files/worktrees/command-schema.ts"
import { sendCommand } from "../../chat/files/repository-files.ts"
import type { RunContext } from "../../runs/run-context.ts"
import type { TeamDeps } from "../team-context.ts"

/** The team's own run. */
export interface Commanding {
  deps: TeamDeps
  context: RunContext<unknown>
}

/** Queries the runner about the team's worktree. */
export function queryWorktree(
  { deps, context }: Commanding,
  worktree: string,
  query: WorktreeQuery,
): Promise<Record<string, unknown>> {
  const { sid, signal } = context
  const request = { sid, commandId: deps.newId("cmd"), command: query, worktree }
  return context.awaitExternal(() => sendCommand(deps, request, { signal }))
}

/** Runs a command on the team's worktree under this id. If it was requested before, returns its outcome. */
export async function commandOnce(
  { deps, context }: Commanding,
  { commandId, command, worktree }: { commandId: string; command: WorktreeCommand; worktree: string },
): Promise<Record<string, unknown>> {
  const { sid, signal } = context
  const state = await context.catchUp()
  const { worktrees } = deps
  const earlier =
    worktrees && context.awaitExternal(() => worktrees.find({ sid, state }, commandId, { signal, enough: signal }))
  const found = await earlier?.catch((error) => {
    if (isAppError(error, "not_found")) return undefined
    throw error
  })
  return found ?? context.awaitExternal(() => sendCommand(deps, { sid, commandId, command, worktree }, { signal }))
}
