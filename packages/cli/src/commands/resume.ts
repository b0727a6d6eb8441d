import { Run } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { checkTarget } from "../downloads/unpack.ts"
import { followToEnd, type WatchOptions } from "./follow-to-end.ts"

export interface ResumeOptions extends WatchOptions {
  model?: string
}

/** Resumes a run that failed, was cancelled or is parked. Shows the run until it ends, and downloads its files. */
export async function resume(cli: Cli, runId: string, options: ResumeOptions): Promise<number> {
  const { out, force = false, model } = options
  if (out) await checkTarget(out, { merge: force })
  // Idempotent: retries with the same key don't start a second run.
  const headers = { "idempotency-key": cli.newKey() }
  const asked = { path: { id: runId }, query: { model }, headers, signal: cli.interrupts.second }
  const run = await cli.api.ask("POST /v1/runs/{id}/resume", Run, asked)
  if (!cli.terminal.json)
    cli.terminal.line({ who: "run", text: `${run.run_id} in workspace ${run.workspace_id}`, tone: "plain" })
  return followToEnd(cli, run, options)
}
