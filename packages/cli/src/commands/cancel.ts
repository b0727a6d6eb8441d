import type { Cli } from "../cli.ts"
import { showRun } from "./status.ts"

/** Requests the cancellation of a run. The run ends shortly afterwards. */
export async function cancel(cli: Cli, runId: string): Promise<void> {
  showRun(cli.terminal, await cli.api.cancelRun(runId))
}
