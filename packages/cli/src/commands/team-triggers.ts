import type { TeamTrigger } from "@switchyard/core/work/teams/trigger-schema"
import type { Cli } from "../cli.ts"
import { UsageError } from "../errors/errors.ts"
import { EXIT } from "../errors/exit.ts"

export interface WakeOptions {
  in?: number
  every?: number
  at?: string
  cron?: string
  timezone?: string
  idle?: number
  webhook?: boolean
  to?: string
  tell?: string
}

/** Adds a trigger that wakes a team, and prints it. */
export async function wakeTeam(cli: Cli, teamId: string, message: string, options: WakeOptions): Promise<number> {
  const { api, terminal, interrupts } = cli
  const asked = { when: whenOf(options), action: actionOf(message, options) }
  const made = await api.addTrigger(teamId, asked, { signal: interrupts.second })
  if (terminal.json) terminal.printJson(made)
  else
    for (const line of [lineOf(made), ...(made.webhook === null ? [] : [`  POST ${made.webhook}`])])
      terminal.print(line)
  return EXIT.done
}

function actionOf(message: string, { to, tell: webhook_id }: WakeOptions) {
  if (to !== undefined && webhook_id !== undefined)
    throw new UsageError("--to and --tell name two recipients. Use only one.")
  if (webhook_id !== undefined) return { type: "run_callback" as const, webhook_id, message }
  return to === undefined ? { type: "wake_agent" as const, message } : { type: "send_message" as const, to, message }
}

function whenOf({ in: delay, every, at, cron, timezone = "UTC", idle, webhook }: WakeOptions) {
  const asked = [
    delay !== undefined && { type: "delayed" as const, delay_seconds: delay },
    every !== undefined && { type: "heartbeat" as const, interval_seconds: every },
    at !== undefined && { type: "at_time" as const, at },
    cron !== undefined && { type: "scheduled" as const, cron, timezone },
    idle !== undefined && { type: "on_idle" as const, idle_seconds: idle },
    webhook && { type: "webhook" as const },
  ].flatMap((when) => when || [])
  const [when] = asked
  if (when && asked.length === 1) return when
  throw new UsageError("Add one of --in, --every, --at, --cron, --idle and --webhook.")
}

export async function teamTriggers(cli: Cli, teamId: string): Promise<number> {
  const { terminal } = cli
  const listed = await cli.api.triggers(teamId, { signal: cli.interrupts.first })
  if (terminal.json) terminal.printJson(listed)
  else for (const trigger of listed.triggers) terminal.print(lineOf(trigger))
  return EXIT.done
}

export async function cancelTrigger(cli: Cli, teamId: string, triggerId: string): Promise<number> {
  const { terminal } = cli
  const cancelled = await cli.api.cancelTrigger({ teamId, triggerId }, { signal: cli.interrupts.second })
  if (terminal.json) terminal.printJson(cancelled)
  else terminal.print(lineOf(cancelled))
  return EXIT.done
}

/** Prints a team's notes about a query. */
export async function teamMemory(cli: Cli, teamId: string, query: string): Promise<number> {
  const { terminal } = cli
  const found = await cli.api.searchMemory({ teamId, query }, { signal: cli.interrupts.first })
  if (terminal.json) terminal.printJson(found)
  else
    for (const { path, text } of found.sections)
      for (const line of [path, ...text.trim().split("\n"), ""]) terminal.print(line)
  return EXIT.done
}

function lineOf({ id, status, when, next_at, firings, action }: TeamTrigger): string {
  const what = action.type === "run_node" ? `runs ${action.node_id} again` : action.message
  return `${id}  ${status}  ${when.type}  ${next_at ?? "-"}  fired ${firings}  ${what}`
}
