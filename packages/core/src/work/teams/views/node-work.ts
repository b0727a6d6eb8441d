import type { EventOf, LogEvent } from "../../../events.ts"
import { logName } from "../../../kernel/keys.ts"
import { hydrateEvent } from "../../../log/payload.ts"
import type { CheckResult } from "../../gate/schema.ts"
import { resultOf } from "../../gate/verdict.ts"
import type { NodeCommand } from "../request-schema.ts"
import type { WorkNode } from "../state.ts"
import type { TeamDeps } from "../team-context.ts"

const MAX_COMMANDS = 50

type Command = { started: EventOf<"shell_command_started">; finished?: EventOf<"shell_command_finished"> }

/** Reads the commands that a node's worker ran, newest last, and the results of the node's last checks. */
export async function readNodeWork(
  { log, blobs }: Pick<TeamDeps, "log" | "blobs">,
  sid: string,
  { nodeId, runs }: WorkNode,
  options: { signal: AbortSignal },
): Promise<{ commands: NodeCommand[]; check_results: CheckResult[] }> {
  const [first] = runs
  if (!first) return { commands: [], check_results: [] }
  const commands = new Map<string, Command>()
  let checks: EventOf<"check_finished">[] = []
  for await (const event of log.read(logName(sid), first.firstSeq - 1, options) as AsyncIterable<LogEvent>) {
    if (!("node_id" in event) || event.node_id !== nodeId) continue
    const { run_id: runId = "" } = event
    const begun = commands.get(runId)
    if (event.type === "shell_command_started") commands.set(runId, { started: event })
    else if (event.type === "shell_command_finished" && begun) commands.set(runId, { ...begun, finished: event })
    else if (event.type === "check_finished")
      checks = [...checks.filter((before) => before.run_id === event.run_id), event]
  }
  const last = [...commands.values()].slice(-MAX_COMMANDS)
  return {
    commands: await Promise.all(last.map((command) => toCommand(command, blobs, options))),
    check_results: checks.map(resultOf),
  }
}

async function toCommand(
  { started, finished }: Command,
  blobs: TeamDeps["blobs"],
  options: { signal: AbortSignal },
): Promise<NodeCommand> {
  const { command } = (await hydrateEvent(blobs, started, options)) as EventOf<"shell_command_started">
  const { ending = null, exit_code = null, duration_ms = null } = finished ?? {}
  return { command: String(command), started_at: started.ts, ending, exit_code, duration_ms }
}
