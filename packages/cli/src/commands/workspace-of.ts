import type { Cli } from "../cli.ts"
import { UsageError } from "../errors.ts"

export interface WorkspaceChoice {
  workspace?: string
  run?: string
}

/** The workspace that is meant: the one named, a run's, or the newest run's. */
export async function workspaceOf(cli: Cli, { workspace, run }: WorkspaceChoice): Promise<string> {
  const signal = cli.interrupts.first
  if (workspace && run) throw new UsageError("Give --workspace or --run, not both.")
  if (workspace) return workspace
  if (run) return (await cli.api.run(run, { signal })).workspace_id

  const [newest] = await cli.api.runs({ limit: 1, signal })
  if (!newest) throw new UsageError("There is no run yet: give --workspace.")
  cli.terminal.notice(`The workspace of the newest run: ${newest.workspace_id}`)
  return newest.workspace_id
}
