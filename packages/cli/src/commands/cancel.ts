import type { Cli } from "../cli.ts"
import { EXIT } from "../errors/exit.ts"
import { showRun } from "./status.ts"

/** Requests cancellation of a run. The run ends shortly afterwards. */
export async function cancel(cli: Cli, runId: string): Promise<number> {
  showRun(cli.terminal, await cli.api.cancelRun(runId))
  return EXIT.done
}
