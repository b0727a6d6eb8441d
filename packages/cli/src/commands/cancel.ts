import type { Cli } from "../cli.ts"
import { EXIT } from "../errors/exit.ts"
import { showRun } from "./status.ts"

/** Requests cancellation of a run, which ends a moment later. */
export async function cancel(cli: Cli, runId: string): Promise<number> {
  showRun(cli.terminal, await cli.api.cancelRun(runId))
  return EXIT.done
}
