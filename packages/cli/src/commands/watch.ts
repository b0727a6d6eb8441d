import { SessionEvent } from "@switchyard/core/events"
import { formatCount, formatSeconds } from "@switchyard/core/text/format"
import { isEnded, type Run, type RunEvent } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { render } from "../output/render.ts"
import { emptyStatus, fileText, reduceStatus, type StatusView } from "../output/status-view.ts"
import type { Terminal } from "../output/terminal.ts"
import { followRun } from "../streams/follow.ts"

/** Shows a run's events as they arrive. Returns the finished run. */
export async function watchRun(cli: Cli, runId: string, options: { since: number; signal: AbortSignal }): Promise<Run> {
  const view = createRunView(cli.terminal, runId, cli.clock.monotonic)
  try {
    const { notice } = cli.terminal
    for await (const event of followRun({ ...cli, notice }, runId, options)) view.show(event)
  } finally {
    view.close()
  }
  // The log has ended. Get the run's final state from the server.
  for (;;) {
    const run = await cli.api.run(runId, { signal: options.signal, waitSeconds: 20 })
    if (isEnded(run.status)) return run
  }
}

/** Creates a view that shows events, either as lines above a status line or as JSON. */
export function createRunView(terminal: Terminal, runId: string, monotonic: () => number) {
  let status = emptyStatus
  let since = monotonic()
  const draw = () => terminal.status(statusText(status, monotonic() - since))
  // A model may think for a minute before its first output. The elapsed time shows that the run is still active.
  const timer = terminal.live ? setInterval(draw, 1000) : undefined

  return {
    show(event: RunEvent) {
      if (terminal.json) return terminal.printJson(event)
      const known = SessionEvent.safeParse(event).data
      if (!known) return
      // Also show changes that a team's workers make to the board.
      const isOfBoard = known.type.startsWith("work_node_")
      if (known.run_id !== undefined && known.run_id !== runId && !isOfBoard) return
      const line = render(known)
      if (line) terminal.line(line)

      const next = reduceStatus(status, known)
      if (next.node !== status.node) since = monotonic()
      const file = fileText(next)
      if (!terminal.live && file && file !== fileText(status))
        terminal.line({ who: "progress", text: file, tone: "plain" })
      status = next
      draw()
    },

    close() {
      clearInterval(timer)
      terminal.status(undefined)
    },
  }
}

function statusText(status: StatusView, elapsedMs: number): string | undefined {
  if (!status.node) return undefined
  const written = status.characters > 0 ? formatCount(status.characters, "character") : "thinking"
  return [fileText(status) ?? status.node, written, formatSeconds(elapsedMs)].join("  ")
}
