import { runCostText } from "@switchyard/core/people/usage/amounts"
import { formatCount, formatSeconds } from "@switchyard/core/text/format"
import { isEnded, type Run, ServerStatus } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import type { Terminal } from "../output/terminal.ts"

const RECENT = 10

/** Shows the status of a run. Without a run ID, shows the server's status and recent runs. */
export async function status(cli: Cli, runId: string | undefined): Promise<void> {
  const { api, terminal } = cli
  if (runId) showRun(terminal, await api.run(runId))
  else {
    const server = await api.ask("GET /status", ServerStatus, {})
    const uptime = formatSeconds(server.uptime_seconds * 1000)
    terminal.show(server, `server ${server.status}, version ${server.version}, up ${uptime}`)
    for (const run of await api.runs(RECENT)) showRun(terminal, run)
  }
}

export function showRun(terminal: Terminal, run: Run) {
  if (terminal.json) return terminal.printJson(run)
  const state = run.cancel_requested && !isEnded(run.status) ? `${run.status}, cancelling` : run.status
  const { waiting_before: before } = run
  terminal.print([run.run_id, state.padEnd(10), run.created_at, run.model, `workspace ${run.workspace_id}`].join("  "))
  if (before !== null) terminal.print(`  Waiting for a runner: ${formatCount(before, "session")} ahead of this one.`)
  const cost = runCostText(run.cost)
  if (cost) terminal.print(`  Estimated cost: ${cost}.`)
  if (run.warning !== null) terminal.print(`  Warning: ${run.warning}`)
  if (run.error) terminal.print(`  ${run.error.message} ${run.error.hint} (${run.error.error_type})`)
}
