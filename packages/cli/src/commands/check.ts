import type { CheckCommands } from "@switchyard/core/work/gate/schema"
import type { Cli } from "../cli.ts"
import { askForConsent } from "../errors/consent.ts"
import { EXIT, exitCodeOf } from "../errors/exit.ts"
import { type JunitOption, writeJunit } from "../reports/junit.ts"
import { watchToEnd } from "./follow-to-end.ts"
import { type WorkspaceChoice, workspaceOf } from "./workspace-of.ts"

/** Installs, builds, tests and starts the files of a workspace. Succeeds only if all steps pass. */
export async function check(
  cli: Cli,
  options: WorkspaceChoice & CheckCommands & JunitOption & { consent?: boolean },
): Promise<number> {
  const { consent = false, install, build, lint, test, start } = options
  const signal = cli.interrupts.second
  const workspace = await workspaceOf(cli, options)
  const given = Object.entries({ install, build, lint, test, start }).filter(([, command]) => command !== undefined)
  if (given.length > 0) await cli.api.setCheckCommands(workspace, Object.fromEntries(given), { signal })
  const asked = cli.api.checkFiles(workspace, { consent, signal })
  const run = await asked.catch(askForConsent("A check runs the built project"))
  const { ended } = await watchToEnd(cli, run, {})
  if (ended) await writeJunit(cli, run.run_id, options.junit)
  if (ended?.status !== "completed") return ended ? exitCodeOf(ended.status) : EXIT.timedOut
  return ended.verdict?.status === "passed" ? EXIT.done : EXIT.failed
}
