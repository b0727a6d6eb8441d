import type { Cli } from "../cli.ts"
import { EXIT } from "../exit.ts"
import { checksRefused } from "./run.ts"
import { seeThrough } from "./see-through.ts"
import { type WorkspaceChoice, workspaceOf } from "./workspace-of.ts"

/** Has the files of a workspace installed, built, tested and started. Succeeds only if they were, and did what they should. */
export async function check(cli: Cli, options: WorkspaceChoice & { consent?: boolean }): Promise<number> {
  const { consent = false } = options
  const signal = cli.interrupts.second
  const workspace = await workspaceOf(cli, options)
  const run = await cli.api.checkFiles(workspace, { consent, signal }).catch(checksRefused)
  const code = await seeThrough(cli, run, {})
  if (code !== EXIT.done) return code
  const { verdict } = await cli.api.run(run.run_id, { signal })
  return verdict?.status === "passed" ? EXIT.done : EXIT.failed
}
