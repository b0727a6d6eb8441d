import type { Cli } from "../cli.ts"
import { EXIT } from "../exit.ts"
import { showRun } from "./status.ts"

/** Asks the server to stop a run. It may take a moment until the run has ended. */
export async function cancel(cli: Cli, runId: string): Promise<number> {
  showRun(cli.terminal, await cli.api.cancelRun(runId, { signal: cli.interrupts.first }))
  return EXIT.done
}
