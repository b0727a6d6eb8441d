import type { Cli } from "../cli.ts"
import { checkTarget } from "../downloads/unpack.ts"
import { followToEnd, type WatchOptions } from "./follow-to-end.ts"

export interface ResumeOptions extends WatchOptions {
  model?: string
}

/** Resumes a run that failed, was cancelled or is parked, shows it until it ends and downloads its files. */
export async function resume(cli: Cli, runId: string, options: ResumeOptions): Promise<number> {
  const { out, force = false, model } = options
  if (out) await checkTarget(out, { merge: force })
  const { second: signal } = cli.interrupts
  const run = await cli.api.resumeRun(runId, { model, idempotencyKey: cli.newKey(), signal })
  if (!cli.terminal.json)
    cli.terminal.line({ who: "run", text: `${run.run_id} in workspace ${run.workspace_id}`, tone: "plain" })
  return followToEnd(cli, run, options)
}
