import type { CheckCommands } from "@switchyard/core/work/gate/schema"
import { Run, SetCommands } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { askForConsent } from "../errors/consent.ts"
import { EXIT, exitCodeOf } from "../errors/exit.ts"
import { type JunitOption, writeJunit } from "../reports/junit.ts"
import { watchToEnd } from "./follow-to-end.ts"
import { type WorkspaceChoice, workspaceOf } from "./workspace-of.ts"

/** Installs, builds, tests and starts the files in a workspace. Succeeds only if all steps pass. */
export async function check(
  cli: Cli,
  options: WorkspaceChoice & CheckCommands & JunitOption & { consent?: boolean },
): Promise<number> {
  const { consent = false, install, build, lint, test, start } = options
  const signal = cli.interrupts.second
  const workspace = await workspaceOf(cli, options)
  const given = Object.entries({ install, build, lint, test, start }).filter(([, command]) => command !== undefined)
  if (given.length > 0) await setCommands(cli, workspace, Object.fromEntries(given))
  const path = { id: workspace }
  const asked = cli.api.ask("POST /api/v1/sessions/{id}/checks", Run, { path, body: { consent }, signal })
  const run = await asked.catch(askForConsent("A check runs the built project"))
  const { ended } = await watchToEnd(cli, run, {})
  if (ended) await writeJunit(cli, run.run_id, options.junit)
  if (ended?.status !== "completed") return ended ? exitCodeOf(ended) : EXIT.timedOut
  return ended.verdict?.status === "passed" ? EXIT.done : EXIT.failed
}

/**
 * Sets the commands for checking a workspace. An empty command restores automatic detection. Commands that aren't given
 * stay the same.
 */
async function setCommands({ api, interrupts }: Cli, id: string, commands: CheckCommands): Promise<void> {
  const asked = { path: { id }, signal: interrupts.second }
  const { set } = await api.ask("GET /api/v1/sessions/{id}/checks/commands", SetCommands, asked)
  const named = Object.entries({ ...set, ...commands }).filter(([, command]) => command !== "")
  await api.ask("PUT /api/v1/sessions/{id}/checks/commands", SetCommands, { ...asked, body: Object.fromEntries(named) })
}
