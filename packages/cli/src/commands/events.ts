import { EventPage, type RunEvent } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { isRefusal } from "../errors/errors.ts"
import { EXIT, exitCodeOf } from "../errors/exit.ts"
import { createRunView, watchRun } from "./watch.ts"

/** Shows a run's events. With `follow`, continues until the run ends, and returns the exit code for its result. */
export async function events(cli: Cli, runId: string, options: { follow?: boolean; since: number }): Promise<number> {
  const signal = cli.interrupts.first
  if (options.follow) {
    const run = await watchRun(cli, runId, { since: options.since, signal })
    return exitCodeOf(run)
  }
  const view = createRunView(cli.terminal, runId, cli.clock.monotonic)
  try {
    for await (const event of readLog(cli, runId, { since: options.since, signal })) view.show(event)
  } finally {
    view.close()
  }
  return EXIT.done
}

async function* readLog(
  cli: Cli,
  runId: string,
  { since, signal }: { since: number; signal: AbortSignal },
): AsyncGenerator<RunEvent> {
  let cursor = since
  for (;;) {
    const page = await eventsAfter(cli, runId, cursor, { signal })
    const fresh = page.events.filter((event) => event.seq > (page.restarted ? 0 : cursor))
    yield* fresh
    const last = fresh.at(-1)
    if (!last) return
    cursor = last.seq
  }
}

async function eventsAfter(cli: Cli, id: string, cursor: number, { signal }: { signal: AbortSignal }) {
  const after = (since: number) => {
    const query = { since_seq: String(since) }
    const headers = { accept: "application/json" }
    return cli.api.ask("GET /v1/runs/{id}/events", EventPage, { path: { id }, query, headers, signal })
  }
  try {
    return { ...(await after(cursor)), restarted: false }
  } catch (error) {
    if (!isRefusal(error, "resync") || cursor === 0) throw error
    cli.terminal.notice(`Event ${cursor} isn't in the log. Reading the log from the beginning.`)
    return { ...(await after(0)), restarted: true }
  }
}
