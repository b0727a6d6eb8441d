import type { Cli } from "../cli.ts"
import { isRefusal, Refused, UsageError } from "../errors/errors.ts"

export interface WorkspaceChoice {
  workspace?: string
  run?: string
}

/**
 * Returns the workspace that the options name, by its ID or by a run. By default, returns the workspace of the newest
 * run. Throws if the workspace doesn't exist.
 */
export async function workspaceOf(cli: Cli, choice: WorkspaceChoice): Promise<string> {
  const workspaceId = await chosen(cli, choice)
  try {
    // Look up the session first. If the workspace doesn't exist, a request for its files would create it.
    await cli.api.session(workspaceId)
  } catch (error) {
    if (!isRefusal(error, "session_not_found")) throw error
    throw new Refused(error.status, error.code, `The workspace "${workspaceId}" doesn't exist.`)
  }
  return workspaceId
}

async function chosen(cli: Cli, { workspace, run }: WorkspaceChoice): Promise<string> {
  if (workspace && run) throw new UsageError("Use --workspace or --run, not both.")
  if (workspace) return workspace
  if (run) return (await cli.api.run(run)).workspace_id

  const [newest] = await cli.api.runs(1)
  if (!newest) throw new UsageError("There are no runs yet. Use --workspace.")
  cli.terminal.notice(`Using the workspace of the newest run: ${newest.workspace_id}`)
  return newest.workspace_id
}
