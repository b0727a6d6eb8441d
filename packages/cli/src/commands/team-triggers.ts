import { MemorySections } from "@switchyard/core/work/teams/request-schema"
import { TeamTrigger } from "@switchyard/core/work/teams/trigger-schema"
import { CreatedTeamTrigger, TeamTriggers } from "@switchyard/core/work/teams/triggers/trigger-requests"
import type { Cli } from "../cli.ts"
import { UsageError } from "../errors/errors.ts"

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

/**
 * Adds a trigger that wakes a team, and prints the trigger. Not idempotent: if the reply is lost, a retry may add a
 * second trigger.
 */
export async function wakeTeam(cli: Cli, id: string, message: string, options: WakeOptions): Promise<void> {
  const { api, terminal, interrupts } = cli
  const body = { when: whenOf(options), action: actionOf(message, options) }
  const asked = { path: { id }, body, signal: interrupts.second }
  const made = await api.ask("POST /api/v1/teams/{id}/triggers", CreatedTeamTrigger, asked)
  terminal.show(made, lineOf(made), ...(made.webhook === null ? [] : [`  POST ${made.webhook}`]))
}

function actionOf(message: string, { to, tell: webhook_id }: WakeOptions) {
  if (to !== undefined && webhook_id !== undefined)
    throw new UsageError("--to and --tell can't be combined, because they specify different recipients.")
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
  throw new UsageError("Specify one of --in, --every, --at, --cron, --idle and --webhook.")
}

export async function teamTriggers({ api, terminal }: Cli, id: string): Promise<void> {
  const listed = await api.ask("GET /api/v1/teams/{id}/triggers", TeamTriggers, { path: { id } })
  terminal.show(listed, ...listed.triggers.map(lineOf))
}

export async function cancelTrigger(cli: Cli, id: string, trigger: string): Promise<void> {
  const asked = { path: { id, trigger }, signal: cli.interrupts.second }
  const cancelled = await cli.api.ask("DELETE /api/v1/teams/{id}/triggers/{trigger}", TeamTrigger, asked)
  cli.terminal.show(cancelled, lineOf(cancelled))
}

/** Prints a team's notes that match a query. */
export async function teamMemory({ api, terminal }: Cli, id: string, q: string): Promise<void> {
  const found = await api.ask("GET /api/v1/teams/{id}/memory/search", MemorySections, { path: { id }, query: { q } })
  terminal.show(found, ...found.sections.flatMap(({ path, text }) => [path, ...text.trim().split("\n"), ""]))
}

function lineOf({ id, status, when, next_at, firings, action }: TeamTrigger): string {
  const what = action.type === "run_node" ? `runs ${action.node_id} again` : action.message
  return `${id}  ${status}  ${when.type}  ${next_at ?? "-"}  fired ${firings}  ${what}`
}
